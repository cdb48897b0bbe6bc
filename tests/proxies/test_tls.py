"""TLS through real tunnels: to the site itself, and to a proxy that pretends to be it."""

from __future__ import annotations

import datetime
import ipaddress
import json
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.proxies.running import scrapy
from tests.proxies.serving import PAGE, Site, proxy_handler, serve


def certificate(folder: Path, name: str) -> Path:
    """A file with a self-signed certificate for 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return path


def server_context(path: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def pretender(context: ssl.SSLContext) -> type:
    """A proxy that opens no tunnel but answers as the site would."""
    base = proxy_handler()

    class Proxy(base):  # type: ignore[misc, valid-type]
        def do_CONNECT(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            try:
                with context.wrap_socket(self.connection, server_side=True) as secure:
                    secure.recv(65536)
                    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(PAGE)}\r\n\r\n"
                    secure.sendall((head + PAGE).encode())
            except OSError:
                return

    return Proxy


def test_a_proxy_that_reads_what_is_encrypted_is_found_out(tmp_path, redis_url):
    real, false = certificate(tmp_path, "site"), certificate(tmp_path, "pretender")
    variables = {"REDIS_URL": redis_url, "SSL_CERT_FILE": str(real)}
    with serve(Site) as (site,), serve(proxy_handler(), pretender(server_context(false))) as (honest, liar):
        site.socket = server_context(real).wrap_socket(site.socket, server_side=True, do_handshake_on_connect=False)
        scrapy(tmp_path, "proxies", "add", honest.address, liar.address, **variables)
        url = f"https://{site.address}/page/1.html"
        at_once = {"articlebot.spiders.proxy_check:TRIAL_DELAY_S": 0.01}
        done = scrapy(tmp_path, "crawl", "proxy_check", "-a", f"urls={url}", constants=at_once, **variables)
    assert {path for path, _ in honest.seen} == {site.address}  # the tunnel's target is all that it saw
    shown = json.loads(scrapy(tmp_path, "proxies", "list", "--all", "--json", **variables).stdout)
    states = {row["proxy"]: (row["state"], row["honest_tls"]) for row in shown}
    assert states[f"http://{honest.address}"] == ("pool", True), done.stderr
    assert states[f"http://{liar.address}"] == ("dishonest_tls", False), done.stderr
