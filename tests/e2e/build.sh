#!/usr/bin/env bash
# Builds the programs of the end-to-end tests, where they are missing, and prints the folder they are in.
# They are kept outside the work tree by the hash of what they are built from, for every later run on this
# machine; a cold build of the cluster takes 12 minutes on two cores.
#
# usage: build.sh cluster    etcd, API server, controllers, scheduler, kubectl, helm, kwok
#        build.sh tools      the fault proxy and the load runner of tests/e2e/tools
#        build.sh kueue      Kueue and its manifests (4 minutes)
#        build.sh karpenter  Karpenter with its kwok cloud, and the CRDs of both (5 minutes)
#        build.sh karpenter_aws  Karpenter with its AWS cloud, and its CRDs (4 minutes more)
#        build.sh moto       the server that plays AWS, and boto3: bin/python has both (10 seconds)
#        build.sh schemas    upstream's CustomResourceDefinitions and examples, of the peers' versions
#        build.sh go         a Go as new as all of these need; prints the program
#
# Needs any Go on the path (Debian's own is enough to fetch the one that is wanted) and the Go module proxy; moto
# needs Python with venv and pip's index instead.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${PLM_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plimsoll/e2e}
export GOFLAGS=-buildvcs=false GOWORK=off

say() { printf 'build.sh: %s\n' "$*" >&2; }
fail() {
	say "$*"
	exit 1
}

# go_program: the Go on the path if it is new enough, else the toolchain's module.
go_program() {
	local want have module folder
	want=$(sed -n 's/^go //p' "$here/cluster/go.mod")
	command -v go >/dev/null || fail "no Go at all; ./dev setup installs one"
	have=$(cd / && GOTOOLCHAIN=local go env GOVERSION)
	if [ "$(printf '%s\n' "${have#go}" "$want" | sort -V | head -n 1)" = "$want" ]; then
		command -v go
		return
	fi
	folder=$cache/go$want
	exec 8>"$folder.lock"
	flock 8
	if [ ! -x "$folder/bin/go" ]; then
		say "fetching Go $want, since ${have#go} is too old"
		module=$(cd / && GOTOOLCHAIN=local GOFLAGS= go mod download -json \
			"golang.org/toolchain@v0.0.1-go$want.linux-$(go env GOARCH)" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
		[ -n "$module" ] || fail "the module proxy did not serve Go $want"
		rm -rf "$folder.new"
		cp -r "$module" "$folder.new" # modules are unpacked without any right to execute or to write
		chmod -R u+w "$folder.new"
		chmod +x "$folder.new"/bin/* "$folder.new"/pkg/tool/*/*
		mv "$folder.new" "$folder"
	fi
	printf '%s\n' "$folder/bin/go"
}

# key FILE...: what they hold, as sixteen digits.
key() { sha256sum "$@" | cut -d' ' -f1 | sha256sum | cut -c1-16; }

build_cluster() { # FOLDER
	local kube minor v flags program
	cd "$here/cluster"
	# Discovery, kubectl and emulated versions read these; unset, they say v0.0.0.
	kube=$("$go" list -m -f '{{.Version}}' k8s.io/kubernetes)
	minor=${kube#v1.}
	v=k8s.io/component-base/version
	flags="-s -w -X $v.gitVersion=$kube -X $v.gitMajor=1 -X $v.gitMinor=${minor%%.*}"
	flags+=" -X $v.gitTreeState=clean -X $v.buildDate=1970-01-01T00:00:00Z"
	flags+=" -X $v.gitCommit=0000000000000000000000000000000000000000"
	# -trimpath is in the key of Go's build cache: always or never.
	"$go" build -p "$(nproc)" -trimpath -ldflags "$flags" -o "$1/controlplane" .
	for program in etcd helm kube-apiserver kube-controller-manager kube-scheduler kubectl kwok; do
		ln -sfn controlplane "$1/$program"
	done
}

build_tools() { # FOLDER
	local program
	cd "$here/tools"
	for program in awsproxy faultproxy loadrunner; do
		"$go" build -trimpath -ldflags "-s -w" -o "$1/$program" "./$program"
	done
}

# peer FOLDER NAME PACKAGE VERSION-VARIABLE
peer() {
	local version
	cd "$here/cluster/peers"
	version=$("$go" list -f '{{.Module.Version}}' "$3")
	"$go" build -p "$(nproc)" -trimpath -ldflags "-s -w -X $4=$version" -o "$1/$2" "$3"
}

# manifests FOLDER NAME MODULE PATH: what a module has besides its program.
manifests() {
	cp -r "$("$go" list -m -f '{{.Dir}}' "$3")/$4" "$1/$2"
	chmod -R u+w "$1/$2"
}

build_kueue() { # FOLDER
	peer "$1" kueue sigs.k8s.io/kueue/cmd/kueue sigs.k8s.io/kueue/pkg/version.GitVersion
	manifests "$1" config sigs.k8s.io/kueue config
}

build_karpenter() { # FOLDER
	peer "$1" karpenter-kwok sigs.k8s.io/karpenter/kwok sigs.k8s.io/karpenter/pkg/operator.Version
	manifests "$1" crds sigs.k8s.io/karpenter pkg/apis/crds
	manifests "$1" kwok-crds sigs.k8s.io/karpenter kwok/apis/crds
}

build_karpenter_aws() { # FOLDER
	peer "$1" karpenter-aws github.com/aws/karpenter-provider-aws/cmd/controller sigs.k8s.io/karpenter/pkg/operator.Version
	manifests "$1" crds github.com/aws/karpenter-provider-aws pkg/apis/crds
}

build_moto() { # FOLDER
	python3 -m venv "$1" ||
		fail "no venv for python3; ./dev setup installs one"
	# Every package is named with its version: nothing is looked for besides.
	"$1/bin/python" -m pip install --quiet --no-deps --disable-pip-version-check --no-compile \
		-r "$here/moto/requirements.txt"
}

build_schemas() { # FOLDER
	local module schemas examples folder
	cd "$here/cluster/peers"
	mkdir "$1/examples"
	while read -r module schemas examples; do
		folder=$("$go" mod download -json "$module" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
		cp "$folder/$schemas"/*.yaml "$1"
		cp -r "$folder/$examples" "$1/examples/${module##*/}"
	done <<-END
		sigs.k8s.io/kueue config/components/crd/bases cmd/kueueviz/examples
		github.com/aws/karpenter-provider-aws pkg/apis/crds examples
	END
	chmod -R u+w "$1"
}

# kept WHAT KEY: builds under a lock, so that a second builder waits for the first and finds its work.
kept() {
	local folder=$cache/$1-$2
	exec 9>"$folder.lock"
	flock 9
	if [ ! -f "$folder/complete" ]; then
		say "building the $1 in $folder"
		rm -rf "$folder"
		mkdir -p "$folder"
		[ "$1" = moto ] || go=$(go_program)
		("build_$1" "$folder") >&2
		touch "$folder/complete"
	fi
	touch "$folder/used"
	# What no test has used for a month is from sources that are gone.
	find "$cache" -mindepth 2 -maxdepth 2 -name used -mtime +30 -printf '%h\0' | xargs -0 -r rm -rf
	printf '%s\n' "$folder"
}

mkdir -p "$cache"
case ${1:-} in
cluster) kept cluster "$(key "$here"/cluster/{go.mod,go.sum,main.go})" ;;
tools) kept tools "$(find "$here/tools" -type f -print0 | sort -z | xargs -0 cat | sha256sum | cut -c1-16)" ;;
moto) kept moto "$({ cat "$here/moto/requirements.txt" && python3 -V; } | sha256sum | cut -c1-16)" ;;
kueue | karpenter | karpenter_aws) kept "$1" "$(key "$here"/cluster/peers/{go.mod,go.sum})" ;;
schemas) kept schemas "upstream-$(key "$here"/cluster/peers/{go.mod,go.sum})" ;;
go) go_program ;;
*)
	sed -n '2,/^# Needs/{s/^# \{0,1\}//p}' "$0" >&2
	exit 2
	;;
esac
