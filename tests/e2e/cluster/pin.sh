#!/usr/bin/env bash
# Writes go.mod (and go.sum) for one Kubernetes minor: k8s.io/kubernetes requires its
# staging modules at v0.0.0, so each needs a replace line to the matching v0.X.Y.
# usage: ./gen-gomod.sh [kubernetes version] [etcd version] [helm version] [kwok version]
set -euo pipefail
cd "$(dirname "$0")"
kube=${1:-v1.37.2} etcd=${2:-v3.7.3} helm=${3:-v4.3.1} kwok=${4:-v0.8.0}
staging=v0.${kube#v1.}

rm -f go.mod go.sum
go mod init plimsoll.test/e2e/cluster
go mod edit -require "k8s.io/kubernetes@$kube" \
            -require "go.etcd.io/etcd/server/v3@$etcd" \
            -require "helm.sh/helm/v4@$helm" \
            -require "sigs.k8s.io/kwok@$kwok"
# The list of staging modules comes from the kubernetes module's own go.mod.
gomod=$(go mod download -json "k8s.io/kubernetes@$kube" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
sed -n 's|^[[:space:]]*\(k8s.io/[a-z0-9-]*\) => ./staging/.*|\1|p' "$gomod" |
while read -r module; do
	go mod edit -replace "$module=$module@$staging"
done
go mod tidy
