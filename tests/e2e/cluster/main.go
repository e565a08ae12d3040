// Command controlplane is one multi-call binary with the programs that an end-to-end
// test of a Kubernetes extension needs. The program is chosen by the name the
// binary is called by (a symlink such as bin/kube-apiserver) or, when it is
// called as controlplane, by its first argument.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	_ "time/tzdata" // CronJobs with a time zone

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	helm "helm.sh/helm/v4/pkg/cmd"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"          // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // client metrics on /metrics
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

// programs maps a program's name to what runs it; os.Args is already its own.
var programs = map[string]func() int{
	"etcd":                    func() int { etcdmain.Main(os.Args); return 0 },
	"helm":                    runHelm,
	"kube-apiserver":          component(apiserver.NewAPIServerCommand),
	"kube-controller-manager": component(controllers.NewControllerManagerCommand),
	"kube-scheduler":          component(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
	"kubectl":                 component(kubectl.NewDefaultKubectlCommand),
	"kwok":                    runKwok,
}

// component defers building the command: each one sets process-wide feature gates.
func component(newCommand func() *cobra.Command) func() int {
	return func() int { return cli.Run(newCommand()) }
}

func runHelm() int {
	freshFlags()
	command, err := helm.NewRootCmd(os.Stdout, os.Args[1:], helm.SetupLogging)
	if err != nil {
		return report(err)
	}
	if command.Execute() != nil { // it has said what was wrong
		return 1
	}
	return 0
}

// runKwok parses the log and config flags first: kwok's command is built from them.
func runKwok() int {
	flags := freshFlags()
	flags.ParseErrorsAllowlist.UnknownFlags = true
	ctx, _ := kwoklog.InitFlags(signals.SetupSignalContext(), flags)
	ctx, err := kwokconfig.InitFlags(ctx, flags)
	if err == nil {
		err = kwok.NewCommand(ctx).ExecuteContext(ctx)
	}
	return report(err)
}

// freshFlags drops the process-wide flags that the Kubernetes packages declare,
// since a command takes them in and their --version is none that cobra knows.
func freshFlags() *pflag.FlagSet {
	pflag.CommandLine = pflag.NewFlagSet(os.Args[0], pflag.ContinueOnError)
	return pflag.CommandLine
}

func report(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		return 1
	}
	return 0
}

func main() {
	name := filepath.Base(os.Args[0])
	if programs[name] == nil && len(os.Args) > 1 {
		name, os.Args = os.Args[1], os.Args[1:]
	}
	run := programs[name]
	if run == nil {
		fmt.Fprintln(os.Stderr, "usage: controlplane etcd|helm|kube-apiserver|kube-controller-manager|kube-scheduler|kubectl|kwok [flags]")
		os.Exit(2)
	}
	os.Exit(run())
}
