"""An API server without MutatingAdmissionPolicy (below 1.36): kinds with a suspend field are suspended on sight."""
from kube import holds, until
from objects import Queues

OLD = "--emulated-version=1.35"


def test_emulated_1_35(e2e):
    old = e2e.other(apiserver=[OLD], controllers=[OLD], scheduler=[OLD])
    queues = Queues(old, cpu="2")
    daemon = old.daemon()
    queues.job("large", cpu="3", suspend=False)
    queues.job("small", cpu="1", suspend=False)
    until("the one that does not fit is suspended", lambda: queues.get_job("large")["spec"]["suspend"])
    until("the one that fits is done", lambda: holds(queues.get_job("small"), "Complete"), 40)
    assert holds(until("its workload", lambda: queues.workload("small")), "Admitted")
    assert queues.get_job("large")["spec"]["suspend"] is True
    daemon.stop()
    daemon.replay()
