"""Drives the double with librouteros. Usage: librouteros_check.py PORT. Prints "ok" at the end."""

import sys

import librouteros
from librouteros.exceptions import TrapError
from librouteros.query import Key

port = int(sys.argv[1])

try:
    librouteros.connect(host="127.0.0.1", username="admin", password="wrong", port=port, encoding="utf-8")
    sys.exit("a wrong password was let in")
except TrapError as error:
    assert "invalid user name or password (6)" in str(error), error

api = librouteros.connect(host="127.0.0.1", username="admin", password="sesame", port=port, encoding="utf-8")

(resource,) = api.path("/system/resource")
assert resource["version"] == "7.24.2 (stable)", resource
assert resource["total-memory"] == 1 << 30, resource

# It reads UTF-8; what it writes must be ASCII, since it counts characters where the API counts octets.
(identity,) = api.path("/system/identity")
assert identity["name"] == "Büro", identity

interfaces = api.path("/interface")
name, kind = Key("name"), Key("type")
found = list(interfaces.select(name, kind).where(name == "ether1"))
assert found == [{"name": "ether1", "type": "ether"}], found
assert list(interfaces.select(name).where(name == "none such")) == []

lists = api.path("/ip/firewall/address-list")
new = lists.add(list="rooms", address="192.0.2.1", comment="a=b, c")
assert new.startswith("*"), new
rows = [row for row in lists if row[".id"] == new]
assert rows[0]["list"] == "rooms" and rows[0]["comment"] == "a=b, c", rows
lists.update(**{".id": new, "comment": "x" * 20000})
rows = [row for row in lists if row[".id"] == new]
assert len(rows[0]["comment"]) == 20000
try:
    lists.add(list="rooms", address="192.0.2.1")
    sys.exit("a second equal entry was taken")
except TrapError as error:
    assert "already have such entry" in str(error), error
lists.remove(new)
assert [row for row in lists if row[".id"] == new] == []

try:
    tuple(api("/no/such/print"))
    sys.exit("an unknown menu was there")
except TrapError as error:
    assert "no such command prefix" in str(error), error

api.close()
print("ok")
