#!/usr/bin/env bash
# Tests the server with the programs of real users: clients in three languages, a browser, Prometheus' checker of metrics, slow
# clients, and requests that are made from the server's own openapi.json. It installs about 2 GB. All requests stay on 127.0.0.1. It
# needs the model (scripts/get_model.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD

# If Node and Go were installed from another source than Debian, Debian's packages of them would conflict with these.
languages() {
  command -v npm >/dev/null || printf '%s\n' nodejs npm
  command -v go >/dev/null || echo golang-go
}
bash scripts/install_packages.sh scripts/packages.txt scripts/check_packages.txt scripts/server_packages.txt <(languages)
embd=$(realpath "${EMBD:-build/dev/cli/embd}")
model=$PWD/models/all-MiniLM-L6-v2.weights
work=$PWD/build/server-check
mkdir -p "$work/node"

venv=${CLIENTS_VENV:-$work/clients}
[ -n "${CLIENTS_VENV:-}" ] || bash scripts/make_venv.sh "$venv" tests/faces/server/clients/requirements.txt
rerankers=${RERANK_CLIENTS_VENV:-$work/rerank-clients}
[ -n "${RERANK_CLIENTS_VENV:-}" ] || bash scripts/make_venv.sh "$rerankers" tests/faces/server/clients/rerank_requirements.txt
tools=${TOOLS_VENV:-$work/tools}
[ -n "${TOOLS_VENV:-}" ] || bash scripts/make_venv.sh "$tools" tests/faces/server/tools_requirements.txt
packages=(openai@6.49.0 @mistralai/mistralai@2.7.0 voyageai@0.4.0 @mixedbread/sdk@0.78.0)
[ "$(cat "$work/node/packages" 2>/dev/null)" = "${packages[*]}" ] ||
  (cd "$work/node" && npm init -y >/dev/null && npm install --silent "${packages[@]}" && echo "${packages[*]}" >packages)

echo "== clients"
"$venv/bin/python" tests/faces/server/clients/clients.py "$embd" "$model" "$work/node"

echo "== clients of rerankers"
"$rerankers/bin/python" tests/faces/server/clients/rerank_clients.py "$embd" "$work/node"

echo "== page"
"$tools/bin/python" tests/faces/server/page_check.py "$embd" "$model" models/example.txt "$work/pictures"
"$tools/bin/python" tests/faces/cli/map_page_check.py "$embd" "$model" "$work/pictures"

"$embd" embed models/example.txt -m "$model" -o "$work/docs.usearch" --force
rm -rf "$work/rerankers" && mkdir "$work/rerankers"
PYTHONPATH=tests/faces/python python3 - "$work/rerankers" <<'END'
import golden_rerankers, pathlib, sys
golden_rerankers.copy_reranker("bert_sigmoid", pathlib.Path(sys.argv[1]))
END
"$embd" serve -m "$model" --reranker "$work/rerankers/bert_sigmoid" --port 0 --index "docs=$work/docs.usearch" \
  --texts docs=models/example.txt 2>"$work/log" &
server=$!
trap 'kill $server' EXIT
until grep -q listening "$work/log"; do sleep 0.1; done
url=$(grep -o 'http://.*' "$work/log")

echo "== metrics"
curl -sf "$url/metrics" | promtool check metrics

echo "== requests made from openapi.json"
cd "$work"  # schemathesis writes its findings into the working directory
"$tools/bin/schemathesis" run "$url/openapi.json" --max-examples "${EXAMPLES:-100}" --seed 19 \
  --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance

echo "== slow clients"
for kind in "-H -i 3" "-B -i 3 -s 8192" "-X -w 10 -y 20 -k 3 -n 3"; do
  # shellcheck disable=SC2086
  slowhttptest $kind -c 500 -r 200 -l 20 -p 3 -t POST -u "$url/v1/embeddings" >"$work/slow" 2>&1 || true
  grep -E "service available|Exit status" "$work/slow" | tail -1
  [ "$(curl -s -m 3 -o /dev/null -w '%{http_code}' "$url/health")" = 200 ] || { echo "no answer after $kind" && exit 1; }
done

echo "== behind the proxy of docs/server/nginx.conf"
# The package is unpacked and not installed, because its installation would start a server.
[ -x "$work/nginx/usr/sbin/nginx" ] || (apt-get download -qq nginx && dpkg -x nginx_*.deb nginx && rm nginx_*.deb)
mkdir -p "$work/proxy/logs"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=embeddings.example -keyout proxy/key.pem -out proxy/cert.pem 2>/dev/null
proxied=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
{
  echo "daemon off; pid logs/pid; error_log stderr; events {} http { access_log off;"
  for temporary in client_body proxy fastcgi uwsgi scgi; do echo "${temporary}_temp_path logs;"; done
  sed "s,127.0.0.1:8080,${url#http://},; s,listen 443,listen 127.0.0.1:$proxied,
       s,/etc/ssl/embeddings.pem,$work/proxy/cert.pem,; s,/etc/ssl/embeddings.key,$work/proxy/key.pem," "$here/docs/server/nginx.conf"
  echo "}"
} >proxy/nginx.conf
"$work/nginx/usr/sbin/nginx" -t -p proxy -c nginx.conf
"$work/nginx/usr/sbin/nginx" -p proxy -c nginx.conf &
proxy=$!
trap 'kill $server $proxy' EXIT
body='{"input":"A cat sits.","model":"m"}'
ask() { curl -sfk --retry 20 --retry-connrefused --resolve "embeddings.example:$proxied:127.0.0.1" -H 'Content-Type: application/json' -d "$body" "$1"; }
[ "$(ask "https://embeddings.example:$proxied/v1/embeddings")" = "$(ask "$url/v1/embeddings")" ]
kill $proxy
wait $proxy

kill -TERM $server
wait $server
trap - EXIT

echo "== systemd's units"
mkdir -p units
sed "s,/usr/bin/embd,$embd," "$here/docs/server/embd.service" >units/embd.service
cp "$here/docs/server/embd.socket" units
systemd-analyze verify units/embd.service units/embd.socket
systemd-analyze security --offline=true --threshold=20 units/embd.service | tail -1
echo "the server is good"
