"""A server that misbehaves as the path of a request says, on several ports; see PORTS.

Started by http_help.c with a folder of its own. It makes its certificates there, prints a line "NAME VALUE" per
port and file, then "ready", and ends when its standard input does.
"""
import os
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from urllib.parse import parse_qsl, urlsplit

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

FOLDER = sys.argv[1]
LOCK = threading.Lock()
COUNTS = {}


def count(name, by=1):
    with LOCK:
        COUNTS[name] = COUNTS.get(name, 0) + by
        return COUNTS[name]


def reset(sock):
    """End a connection so that the far end sees a reset."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if isinstance(sock, ssl.SSLSocket):
            os.close(sock.detach())
        else:
            sock.close()
    except OSError:
        pass


# ---- certificates -----------------------------------------------------------------------------------


def openssl(*args):
    subprocess.run(["openssl", *args], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def authority(name):
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")


def certificate(name, ca, names):
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.csr")
    with open(os.path.join(FOLDER, f"{name}.ext"), "w", encoding="utf-8") as file:
        file.write(f"subjectAltName={names}\n")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{ca}.pem", "-CAkey", f"{ca}.key", "-CAcreateserial",
            "-days", "2", "-extfile", f"{name}.ext", "-out", f"{name}.pem")


def path(name):
    return os.path.join(FOLDER, name)


def context(name, client_ca=None, protocols=("http/1.1",)):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(path(f"{name}.pem"), path(f"{name}.key"))
    made.set_alpn_protocols(list(protocols))
    if client_ca:
        made.load_verify_locations(path(f"{client_ca}.pem"))
        made.verify_mode = ssl.CERT_REQUIRED
    made.sni_callback = lambda sock, sni, _context: setattr(sock, "asked_name", sni or "-")
    return made


# ---- HTTP/1.1 ---------------------------------------------------------------------------------------


class Connection:
    def __init__(self, sock, number):
        self.sock, self.number, self.buffer, self.requests, self.die = sock, number, b"", 0, False

    def line(self):
        while b"\r\n" not in self.buffer:
            piece = self.sock.recv(65536)
            if not piece:
                return None
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line.decode("latin-1")

    def exactly(self, size):
        while len(self.buffer) < size:
            piece = self.sock.recv(65536)
            if not piece:
                return None
            self.buffer += piece
        body, self.buffer = self.buffer[:size], self.buffer[size:]
        return body

    def request(self):
        first = self.line()
        if not first:
            return None
        method, target, _ = first.split(" ")
        headers = {}
        while True:
            line = self.line()
            if line is None:
                return None
            if line == "":
                break
            name, value = line.split(":", 1)
            headers[name.lower()] = value.strip()
        body = self.exactly(int(headers.get("content-length", "0")))
        return None if body is None else (method, target, headers, body)

    def answer(self, status, body, headers=(), length=None):
        size = len(body) if length is None else length
        lines = [f"HTTP/1.1 {status} X", f"Content-Length: {size}", *headers, "", ""]
        self.sock.sendall("\r\n".join(lines).encode("latin-1") + body)

    def chunk(self, body):
        self.sock.sendall(b"%x\r\n%s\r\n" % (len(body), body))

    def run(self):
        while True:
            got = self.request()
            if got is None:
                return
            self.requests += 1
            method, target, headers, body = got
            count(f"{method} {urlsplit(target).path}")
            if self.die:
                count("died")
                reset(self.sock)
                return
            if not serve(self, method, target, headers, body):
                return


def told(connection, method, target, headers, body):
    """What came, for the test to read."""
    name = getattr(connection.sock, "asked_name", "-")
    lines = [f"conn={connection.number}", f"n={connection.requests}", f"sni={name}", f"method={method}",
             f"target={target}", f"size={len(body)}"]
    lines += [f"{key}: {value}" for key, value in sorted(headers.items())]
    return ("\n".join(lines) + "\n").encode()


def serve(connection, method, target, headers, body):
    """False: the connection is over."""
    parts = urlsplit(target)
    args = dict(parse_qsl(parts.query))
    number = int(args.get("n", "0"))
    pause = int(args.get("ms", "0")) / 1000
    name = parts.path.strip("/")
    if name == "status":
        extra = [f"{key[2:]}: {value}" for key, value in args.items() if key.startswith("h-")]
        connection.answer(number, args.get("body", "").encode(), extra)
    elif name == "slow":
        time.sleep(pause)
        connection.answer(200, b"late")
    elif name == "interim":
        connection.sock.sendall(b"HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n")
        connection.answer(200, b"then")
    elif name == "stall":
        connection.answer(200, b"12345", length=100)
        time.sleep(pause)
        return False
    elif name == "cut":
        connection.answer(200, b"1234567890", length=100)
        return False
    elif name == "cutchunk":
        connection.sock.sendall(b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n")
        connection.chunk(b"some")
        return False
    elif name == "reset":
        reset(connection.sock)
        return False
    elif name == "last":  # whatever comes next on this connection is read and then reset
        connection.die = True
        connection.answer(200, b"last")
    elif name == "close":
        connection.answer(200, b"bye", ["Connection: close"])
        return False
    elif name == "huge":
        connection.answer(200, b"", length=number)
        piece = b"x" * 65536
        for at in range(0, number, len(piece)):
            connection.sock.sendall(piece[: number - at])
            count("huge", len(piece[: number - at]))
    elif name == "drip":
        connection.sock.sendall(b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n")
        for at in range(number):
            connection.chunk(b"piece %d\n" % at)
            time.sleep(pause)
        connection.sock.sendall(b"0\r\n\r\n")
    elif name == "count":
        connection.answer(200, str(COUNTS.get(args["of"], 0)).encode())
    else:
        connection.answer(200, told(connection, method, target, headers, body))
    return True


# ---- HTTP/2 -----------------------------------------------------------------------------------------


class Connection2:
    """One HTTP/2 connection: a thread reads, one thread per request answers."""

    def __init__(self, sock, number):
        self.sock, self.number, self.requests = sock, number, 0
        self.lock = threading.Condition()
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.open = {}
        self.over = self.frozen = False

    def flush(self):
        self.sock.sendall(self.h2.data_to_send())

    def run(self):
        with self.lock:
            self.h2.initiate_connection()
            self.flush()
        while not self.over:
            data = self.sock.recv(65536)
            if not data:
                break
            with self.lock:
                for event in self.h2.receive_data(data):
                    self.take(event)
                self.flush()
                self.lock.notify_all()
        with self.lock:
            self.over = True
            self.lock.notify_all()

    def take(self, event):
        if isinstance(event, h2.events.RequestReceived):
            self.open[event.stream_id] = [dict(event.headers), b""]
        elif isinstance(event, h2.events.DataReceived):
            self.open[event.stream_id][1] += event.data
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            headers, body = self.open[event.stream_id]
            threading.Thread(target=self.guarded, args=(event.stream_id, headers, body), daemon=True).start()
        elif isinstance(event, h2.events.StreamReset):
            self.open.pop(event.stream_id, None)
            count("cancelled")
        elif isinstance(event, h2.events.ConnectionTerminated):
            self.over = True

    def guarded(self, stream, headers, body):
        try:
            self.serve(stream, headers, body)
        except (OSError, h2.exceptions.ProtocolError):
            pass

    def head(self, stream, status, extra=(), end=False):
        with self.lock:
            self.h2.send_headers(stream, [(":status", str(status)), *extra], end_stream=end)
            self.flush()

    def data(self, stream, body, end=False):
        while True:
            with self.lock:
                if self.over or stream not in self.open:
                    return
                room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                if room <= 0 and body:
                    self.lock.wait(1)
                    continue
                piece, body = body[:room], body[room:]
                self.h2.send_data(stream, piece, end_stream=end and not body)
                self.flush()
                count("data", len(piece))
                if not body:
                    return

    def serve(self, stream, headers, body):
        method, target = headers[":method"], headers[":path"]
        parts = urlsplit(target)
        args = dict(parse_qsl(parts.query))
        number = int(args.get("n", "0"))
        pause = int(args.get("ms", "0")) / 1000
        name = parts.path.strip("/")
        self.frozen |= name == "freeze"
        if self.frozen:  # it still reads, and acknowledges
            return
        self.requests += 1
        count(f"{method} {parts.path}")
        if name == "refuse" and count("refuse " + args["key"]) <= number:
            self.end(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
        elif name == "graceful":
            with self.lock:
                self.sock.sendall(struct.pack(">BHBBIII", 0, 8, 7, 0, 0, stream, 0))  # GOAWAY after this one
            self.head(stream, 200)
            self.data(stream, b"late", end=True)
        elif name == "goaway":
            with self.lock:
                self.h2.close_connection(last_stream_id=0)
                self.flush()
            time.sleep(0.05)
            self.over = True
            self.sock.shutdown(socket.SHUT_RDWR)
        elif name == "break":
            self.end(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
        elif name == "slow":
            time.sleep(pause)
            self.head(stream, 200)
            self.data(stream, b"late", end=True)
        elif name == "huge":
            self.head(stream, 200)
            for _ in range(number // 65536):
                self.data(stream, b"x" * 65536)
            self.data(stream, b"", end=True)
        elif name == "drip":
            self.head(stream, 200)
            for at in range(number):
                self.data(stream, b"piece %d\n" % at)
                time.sleep(pause)
            self.data(stream, b"", end=True)
        elif name == "count":
            self.head(stream, 200)
            self.data(stream, str(COUNTS.get(args["of"], 0)).encode(), end=True)
        else:
            self.head(stream, 200)
            self.data(stream, told(self, method, target, headers, body), end=True)

    def end(self, stream, code):
        with self.lock:
            self.h2.reset_stream(stream, code)
            self.flush()


# ---- ports ------------------------------------------------------------------------------------------


def handle(sock, tls, kind):
    number = count("connections")
    try:
        if kind == "mute":  # takes the connection and never says a word
            time.sleep(30)
            return
        if kind == "slam":
            reset(sock)
            return
        if tls:
            sock = tls.wrap_socket(sock, server_side=True)
            count("handshakes")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        two = tls and sock.selected_alpn_protocol() == "h2"
        (Connection2 if two else Connection)(sock, number).run()
    except (OSError, ValueError, h2.exceptions.ProtocolError):
        pass
    finally:
        try:
            sock.close()
        except OSError:
            pass


def listen(name, tls=None, kind="serve"):
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)

    def accept():
        while True:
            sock, _ = listener.accept()
            threading.Thread(target=handle, args=(sock, tls, kind), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    print(f"{name} {listener.getsockname()[1]}")


def main():
    authority("ca")
    authority("otherca")
    certificate("server", "ca", "DNS:localhost,IP:127.0.0.1,DNS:api.example")
    certificate("named", "ca", "DNS:api.example")
    certificate("client", "ca", "DNS:client")
    certificate("stranger", "otherca", "DNS:stranger")
    listen("plain")
    listen("tls", context("server"))
    listen("named", context("named"))
    listen("mutual", context("server", client_ca="ca"))
    listen("h2", context("server", protocols=("h2", "http/1.1")))
    listen("mute", kind="mute")
    listen("slam", kind="slam")
    closed = socket.create_server(("127.0.0.1", 0))
    print(f"closed {closed.getsockname()[1]}")
    closed.close()
    print("ready", flush=True)
    sys.stdin.buffer.read()
    os._exit(0)


main()
