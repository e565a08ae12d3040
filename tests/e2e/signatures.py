"""What we sign, byte by byte against botocore: every call of the table, and random shapes.

    signatures.py aws_calls sign_shapes

Runs the two programs against a server that takes down whatever comes, has botocore's SigV4Auth sign the same method, URL,
headers and body at the same second, and compares the whole Authorization header: scope, list of signed headers,
signature. botocore is the one of build.sh moto, which is made where it is missing; this script goes on in its venv.
"""
import os
import pathlib
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = pathlib.Path(__file__).resolve().parent
KEY, SECRET, REGION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-west-2"
TOKENS = {"no token": "", "a token": "IQoJb3JpZ2luX2VjE+/=" * 3, "a long token": "A+/b" * 1024 + "=="}
# Services of a partition that are in one region, whatever the region is.
THERE = {"iam": "us-east-1", "pricing": "us-east-1"}
# What botocore does not sign, or makes itself.
NOT_GIVEN = {"authorization", "host", "user-agent", "accept", "content-length", "x-amz-date", "x-amz-security-token"}


class Taken(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.lock = [], threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def take(self):
        with self.lock:
            taken, self.requests = self.requests, []
        return taken


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        with self.server.lock:
            self.server.requests.append((self.command, self.path, list(self.headers.items()), body))
        answer = b'{"__type": "Refused"}' if "json" in self.headers.get("Content-Type", "") or self.command == "GET" \
            else b"<Response><Errors><Error><Code>Refused</Code><Message/></Error></Errors></Response>"
        self.send_response(400)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_PATCH = do_any

    def log_message(self, *_args):
        pass


def sign_as_botocore(request, there):
    """The Authorization header for what came: at its second, for its region and service, with the keys that were given."""
    import datetime

    import botocore.auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    method, path, headers, body = request
    given = {name.lower(): value for name, value in headers}
    assert len(given) == len(headers), f"a header came twice: {headers}"
    at = datetime.datetime.strptime(given["x-amz-date"], "%Y%m%dT%H%M%SZ")
    service = given["authorization"].split("Credential=")[1].split(",")[0].split("/")[3]
    asked = AWSRequest(method=method, url=f"http://{given['host']}{path}", data=body,
                       headers={name: value for name, value in given.items() if name not in NOT_GIVEN})
    botocore.auth.get_current_datetime = lambda *_args, **_kwargs: at
    keys = Credentials(KEY, SECRET, given.get("x-amz-security-token"))
    botocore.auth.SigV4Auth(keys, service, there.get(service, REGION)).add_auth(asked)
    return asked.headers["Authorization"]


def compare(requests, there=()):
    """The first difference, or None."""
    for request in requests:
        have = dict((name.lower(), value) for name, value in request[2]).get("authorization", "none")
        want = sign_as_botocore(request, dict(there))
        if have != want:
            return f"{str(request[:3])[:1500]} {request[3][:200]!r}\n  have {have}\n  want {want}"
    return None


class Tap:
    def __init__(self):
        self.count, self.failed = 0, 0

    def line(self, name, why):
        self.count += 1
        self.failed += why is not None
        print(f"{'ok' if why is None else 'not ok'} {self.count} - {name}")
        for line in (why or "").splitlines():
            print(f"# {line}")
        sys.stdout.flush()


def run(program, *args, token):
    environment = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION,
                   "AWS_EC2_METADATA_DISABLED": "true", "AWS_SESSION_TOKEN": token}
    done = subprocess.run([program, *args], env=environment, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert SECRET not in done.stdout + done.stderr and (not token or token not in done.stdout + done.stderr)
    return done.stdout


def table(tap, server, program):
    for name, token in TOKENS.items():
        made = run(program, server.url(), token=token).splitlines()
        taken = server.take()
        actions = {line.split()[0] for line in made}
        why = compare(taken, THERE)
        if len(taken) != len(made) or len(actions) < 25:
            why = f"{len(made)} calls of {len(actions)} actions were made, {len(taken)} came"
        with_token = sum(any(key.lower() == "x-amz-security-token" for key, _ in one[2]) for one in taken)
        if with_token != (len(taken) if token else 0):
            why = f"{with_token} of {len(taken)} had a token"
        tap.line(f"every call of the table, with {name} ({len(actions)} actions, {len(taken)} requests)", why)


def shapes(tap, server, program):
    for seed in (1, 2, 3):
        said = run(program, server.url(), str(seed), "400", token=TOKENS["a token"])
        sent, refused = int(said.split()[1]), int(said.split()[3])
        taken = server.take()
        why = compare(taken)
        if len(taken) != sent or sent < 50 or refused < 50:
            why = f"{sent} sent, {refused} refused, {len(taken)} came"
        tap.line(f"random shapes, seed {seed} ({sent} sent, {refused} refused)", why)


def wrong_is_seen(tap, server, program):
    """The comparison itself: any byte that changes on the way is a difference."""
    run(program, server.url(), "9", "60", token=TOKENS["a token"])
    method, path, headers, body = next(one for one in server.take() if one[0] == "POST" and one[3])
    changed = [(method, path, headers, body[:-1] + b"!"), (method, path + ("&zz=" if "?" in path else "?zz="), headers, body),
               ("PUT", path, headers, body), (method, path, [*headers, ("X-Amz-More", "1")], body)]
    missed = [one[:3] for one in changed if compare([one]) is None]
    tap.line("what is changed on the way is seen", f"not seen: {missed}" if missed else None)


def main(calls, shape):
    server, tap = Taken(), Tap()
    table(tap, server, calls)
    shapes(tap, server, shape)
    wrong_is_seen(tap, server, shape)
    print(f"1..{tap.count}")
    return 1 if tap.failed else 0


if __name__ == "__main__":
    venv = pathlib.Path(subprocess.run([HERE / "build.sh", "moto"], stdout=subprocess.PIPE, text=True,
                                       check=True).stdout.strip())
    if pathlib.Path(sys.prefix).resolve() != venv.resolve():
        os.execv(venv / "bin" / "python", [os.fspath(venv / "bin" / "python"), *sys.argv])
    sys.exit(main(*sys.argv[1:]))
