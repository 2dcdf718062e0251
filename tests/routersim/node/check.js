// Drives the double with node-routeros and routeros-client. Usage: node check.js PORT PORT_OF_OLD_LOGIN
// (both without !empty, which neither knows). Prints "ok" at the end.
"use strict";

const assert = require("assert");
const { RouterOSAPI } = require("node-routeros");
const { RouterOSClient } = require("routeros-client");

async function raw(port) {
  const api = new RouterOSAPI({ host: "127.0.0.1", port, user: "admin", password: "sesame", timeout: 5 });
  await api.connect();
  const [identity] = await api.write("/system/identity/print");
  assert.strictEqual(identity.name, "MikroTik");
  const none = await api.write("/interface/print", ["?name=none"]);
  assert.strictEqual(none.length, 0);
  const some = await api.write("/interface/print", ["=.proplist=name", "?type=ether", "?name=bridge", "?#|"]);
  assert.strictEqual(some.length, 6);
  await assert.rejects(api.write("/interface/fly"), /no such command/);

  // A stream of changes, and its end.
  const changed = new Promise((resolve, reject) => {
    const stream = api.stream(["/ip/firewall/address-list/listen"], (error, packet) => {
      if (error) return reject(error);
      if (packet.comment === "changed") stream.stop().then(() => resolve(packet), reject);
    });
  });
  const [added] = await api.write("/ip/firewall/address-list/add", ["=list=node", "=address=192.0.2.1"]);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await api.write("/ip/firewall/address-list/set", ["=.id=" + added.ret, "=comment=changed"]);
  assert.strictEqual((await changed).address, "192.0.2.1");
  await api.write("/ip/firewall/address-list/remove", ["=.id=" + added.ret]);
  await api.close();
}

async function wrongPassword(port) {
  const api = new RouterOSAPI({ host: "127.0.0.1", port, user: "admin", password: "wrong", timeout: 5 });
  await assert.rejects(api.connect(), (error) => error.errno === "CANTLOGIN");
}

async function wrapped(port) {
  const api = new RouterOSClient({ host: "127.0.0.1", port, user: "admin", password: "sesame", timeout: 5 });
  const client = await api.connect();
  const bridge = await client.menu("/interface").where("type", "bridge").getOnly();
  assert.strictEqual(bridge.name, "bridge");
  const rules = client.menu("/ip firewall filter");
  const rule = await rules.add({ chain: "forward", action: "accept", protocol: "tcp", dstPort: 80 });
  assert.strictEqual(rule.dstPort, 80);
  await rules.where("id", rule.id).remove();
  await api.close();
}

async function main() {
  const [port, old] = process.argv.slice(2).map(Number);
  await raw(port);
  await wrongPassword(port);
  await wrapped(port);
  await raw(old);
  console.log("ok");
  process.exit(0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
