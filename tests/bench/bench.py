#!/usr/bin/env python3
"""Measures what mikroscope costs. Every figure in the documentation comes from here.

  bench.py BUILD_DIR cost    [--rates 10,100] [--rounds 10] [--seconds 6]   agent CPU / bare reads of the same files
  bench.py BUILD_DIR memory  [--rates 10,100]                               resident memory with a full 60 s ring
  bench.py BUILD_DIR hour                                                   the same for one hour at 10 Hz (takes an hour)
  bench.py BUILD_DIR gaps    [--seconds 300]                                100 Hz, pulled, one full catch-up in between
  bench.py BUILD_DIR catchup [--rounds 5]                                   ticks delayed by a full NDJSON catch-up
  bench.py BUILD_DIR sizes                                                  agent and image sizes
  bench.py BUILD_DIR plot                                                   drawing one hour at 100 Hz
  bench.py BUILD_DIR subtick [--rounds 5]                                   what SUBTICK=10 adds at 10 Hz
  bench.py BUILD_DIR lines   [--seconds 5]                                  packed frames to line protocol on one core, beside a JSON DOM
  bench.py BUILD_DIR fleet   [--routers 1000] [--seconds 60]                one collector, many agents at 10 Hz, two stores
  bench.py BUILD_DIR outage  [--seconds 600]                                the store is away so long at 10 Hz; how long catching up takes
  bench.py BUILD_DIR deploy  [--rounds 10]                                  install with its probe, and uninstall, on the double

BUILD_DIR was configured with -DMIKROSCOPE_BENCH=ON, and holds the router's agents unless MIKROSCOPE_EMBED_AGENTS=OFF was asked
for; MIKROSCOPE_AGENT in the environment names another agent program. The heading says which one is measured. Ratios are of processes that ran in the same window, which the
starting order rotates through; medians with the least and the most. Absolute times belong to the machine that is printed.
"""
import argparse, hashlib, http.client, json, os, platform, random, re, signal, socket, statistics, subprocess, sys, tempfile, threading, time, urllib.parse, urllib.request

FRAMES = 'application/vnd.mikroscope.frames'


def cpu_ns(pid):
    """The kernel's nanosecond CPU clock of another process."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def rss_kib(pid):
    with open(f'/proc/{pid}/smaps_rollup') as f:
        m = dict(re.findall(r'^(\w+):\s+(\d+) kB', f.read(), re.M))
    return int(m['Rss']), int(m['Pss'])


def router_agents(build):
    """The agents for routers in BUILD_DIR, by architecture."""
    found = {}
    for arch in ('amd64', 'arm64', 'armv7', 'armv5'):
        path = os.path.join(build, 'agents', arch, 'mikroscope-agent')
        if os.access(path, os.X_OK):
            found[arch] = path
    return found


def agent_program(build):
    """The path of the agent to measure, and what it is."""
    named = os.environ.get('MIKROSCOPE_AGENT', '')
    if named:
        return named, 'named by MIKROSCOPE_AGENT'
    native = {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(platform.machine(), '')
    agents = router_agents(build)
    if native in agents:
        return agents[native], f"the router's agent for {native}"
    path = os.path.join(build, 'mikroscope-agent')
    if not os.access(path, os.X_OK):
        sys.exit(f'bench: no agent in {build}: build the target mikroscope-agent, or the CLI with -DMIKROSCOPE_EMBED_AGENTS=ON')
    return path, f"the host's agent with the host's C library: {build} holds no router agent (-DMIKROSCOPE_EMBED_AGENTS=ON)"


class Agent:
    def __init__(self, build, rate, path=None, **env):
        self.path = path or agent_program(build)[0]
        for _ in range(20):
            self.port = random.randrange(20000, 60000)
            settings = dict(RATE_HZ=str(rate), ADDR='127.0.0.1', PORT=str(self.port), **{k: str(v) for k, v in env.items()})
            self.url = f'http://127.0.0.1:{self.port}'
            self.process = subprocess.Popen([self.path], env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            deadline = time.monotonic() + 5
            while time.monotonic() < deadline and self.process.poll() is None:
                try:
                    self.get('/healthz')
                    return
                except OSError:
                    time.sleep(0.01)
            self.stop()
        sys.exit('bench: the agent does not start')

    pid = property(lambda self: self.process.pid)

    def get(self, path, accept=None):
        c = http.client.HTTPConnection('127.0.0.1', self.port, timeout=30)
        try:
            c.request('GET', path, headers={'Accept': accept} if accept else {})
            r = c.getresponse()
            return r.read()
        finally:
            c.close()

    def json(self, path):
        return json.loads(self.get(path))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(5)


class Puller(threading.Thread):
    """Pulls twice a second over one kept connection, as `record` does; a client of the packed form or of NDJSON."""

    def __init__(self, agent, accept, hz=2.0):
        super().__init__(daemon=True)
        self.agent, self.accept, self.hz, self.ending = agent, accept, hz, False
        self.schema = agent.json('/capabilities')['schema']
        self.newest, self.pulls, self.bytes, self.errors, self.seqs = 0, 0, 0, 0, []

    def run(self):
        c = http.client.HTTPConnection('127.0.0.1', self.agent.port, timeout=30)
        due = time.monotonic()
        while not self.ending:
            due = max(due + 1 / self.hz, time.monotonic() - 1 / self.hz)
            time.sleep(max(0, due - time.monotonic()))
            try:
                c.request('GET', f'/samples?since={self.newest}&max=10000&cont=1&schema={self.schema}', headers={'Accept': self.accept})
                r = c.getresponse()
                body = r.read()
                if self.accept == FRAMES:
                    self.newest = int(r.headers['Mikroscope-Newest-Seq'])
                else:
                    # From what was read: the header may count a sample that came after the body was fixed.
                    self.seqs += [int(x) for x in re.findall(rb'^\{"seq":(\d+)', body, re.M)]
                    self.newest = self.seqs[-1] if self.seqs else 0
                self.pulls += 1
                self.bytes += len(body)
            except Exception:
                self.errors += 1
                c.close()
        c.close()


def machine():
    cpu = next((l.split(':', 1)[1].strip() for l in open('/proc/cpuinfo') if l.lower().startswith('model name')), platform.machine())
    return f'{cpu}, {os.cpu_count()} CPUs, Linux {platform.release()}, {time.strftime("%Y-%m-%d", time.gmtime())}, load {os.getloadavg()[0]:.1f}'


def spread(values, digits=2):
    return f'{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})'


def floor_files(agent):
    """The files that the agent reads: PATH, PATH@HZ for those read more rarely than every tick, PATH:BYTES for the one of
    which only the head is read (/proc/slabinfo up to the connection row)."""
    capabilities = agent.json('/capabilities')
    rate, out = capabilities['rate_hz'], []
    for name, source in capabilities['sources'].items():
        hz = source['cadence']['hz']
        for path in source['paths']:
            if name == 'conntrack':
                head = open(path, 'rb').read().split(b'\nnf_conntrack ')
                path += f':{len(head[0]) + 160}'
            out.append(path if hz >= rate else f'{path}@{hz:g}')
    return out


def side_by_side(build, rate, rounds, seconds, arms):
    """Median cost of each arm over the bare reader's; arms: name -> (environment, accept)."""
    floor = os.path.join(build, 'tests/bench/bench_floor')
    per_round = []
    for k in range(rounds):
        names = ['floor'] + list(arms)
        order = names[k % len(names):] + names[:k % len(names)]
        agents, processes = {}, {}
        probe = Agent(build, rate)
        files = floor_files(probe)
        probe.stop()
        for name in order:
            if name == 'floor':
                processes[name] = subprocess.Popen([floor, str(rate), str(seconds + 30), *files], stdout=subprocess.DEVNULL)
            else:
                agents[name] = Agent(build, rate, path=(arms[name] + (None,))[2], **arms[name][0])
                processes[name] = agents[name].process
            time.sleep(random.uniform(0.03, 0.2))  # phases spread: whoever wakes first pays for cold caches
        pullers = [Puller(agents[n], arms[n][1]) for n in agents if arms[n][1]]
        for p in pullers:
            p.start()
        time.sleep(2)
        before = {n: cpu_ns(p.pid) for n, p in processes.items()}
        start = time.monotonic()
        time.sleep(seconds)
        wall = time.monotonic() - start
        per_round.append({n: (cpu_ns(p.pid) - before[n]) / 1e3 / (wall * rate) for n, p in processes.items()})
        for p in pullers:
            p.ending = True
        for p in pullers:
            p.join()
        for a in agents.values():
            a.stop()
        processes['floor'].kill()
        processes['floor'].wait()
    return per_round


def table(header, rows):
    print('| ' + ' | '.join(header) + ' |\n|' + '---|' * len(header))
    for row in rows:
        print('| ' + ' | '.join(str(c) for c in row) + ' |')
    print()


def cost(a):
    rows = []
    for rate in a.rates:
        arms = {'pulled twice a second, packed': ({}, FRAMES), 'pulled twice a second, NDJSON': ({}, 'application/x-ndjson'),
                'nobody pulling': ({}, None)}
        # One arm at a time beside the floor: on a small machine more arms disturb each other.
        for name, arm in arms.items():
            if a.arms not in name:
                continue
            pair = {name: arm}
            if a.other:
                pair['other agent'] = arm + (a.other,)
            rounds = side_by_side(a.build, rate, a.rounds, a.seconds, pair)
            if a.other:
                ratios = [r['other agent'] / r['floor'] for r in rounds]
                rows.append([f'{rate} Hz', name + ', other agent', spread(ratios), f'{statistics.median(r["other agent"] for r in rounds):.0f}', '', ''])
            rows.append([f'{rate} Hz', name, spread([r[name] / r['floor'] for r in rounds]), f'{statistics.median(r[name] for r in rounds):.0f}',
                         f'{statistics.median(r["floor"] for r in rounds):.0f}', f'{statistics.median(r[name] for r in rounds) * rate / 1e4:.2f} %'])
    table(['rate', 'arm', 'agent / bare reads', 'agent us/sample', 'bare us/sample', 'of one core'], rows)


def subtick(a):
    rounds = side_by_side(a.build, 10, a.rounds, a.seconds, {'plain': ({}, FRAMES), 'SUBTICK=10': (dict(SUBTICK=10), FRAMES)})
    table(['arm', 'us/sample', 'over plain'], [[n, f'{statistics.median(r[n] for r in rounds):.0f}', spread([r[n] / r['plain'] for r in rounds])]
                                              for n in ('plain', 'SUBTICK=10')])


def full_ring(a, rate, buffer_s):
    agent = Agent(a.build, rate, BUFFER_S=buffer_s)
    puller = Puller(agent, FRAMES)
    puller.start()
    time.sleep(buffer_s + 4)
    sampler = agent.json('/sampler')
    rss, pss = rss_kib(agent.pid)
    puller.ending = True
    puller.join()
    agent.stop()
    ring = sampler['ring']
    return [f'{rate} Hz, {buffer_s} s', f'{rss / 1024:.2f}', f'{pss / 1024:.2f}', f'{ring["bytes"] / max(1, ring["samples"]):.0f}', ring['samples'],
            f'{ring["span_s"]:.0f} s']


def memory(a):
    table(['ring', 'RSS MiB', 'PSS MiB', 'bytes/sample', 'samples held', 'span'], [full_ring(a, rate, 60) for rate in a.rates])


def hour(a):
    table(['ring', 'RSS MiB', 'PSS MiB', 'bytes/sample', 'samples held', 'span'], [full_ring(a, 10, 3600)])


def gaps(a):
    agent = Agent(a.build, 100)
    floor = subprocess.Popen([os.path.join(a.build, 'tests/bench/bench_floor'), '100', str(a.seconds), *floor_files(agent)],
                             stdout=subprocess.PIPE, text=True)
    puller = Puller(agent, 'application/x-ndjson')
    puller.start()
    time.sleep(a.seconds / 2)
    lines = agent.get('/samples?since=oldest&max=10000').count(b'\n')
    time.sleep(a.seconds / 2)
    puller.ending = True
    puller.join()
    sampler = agent.json('/sampler')
    bare = json.loads(floor.communicate()[0])['missed']
    agent.stop()
    # A missed tick takes no sequence number (it shows in dt_ns and is counted as missed), so every number that did not
    # come is a sample that was lost on the way.
    s = puller.seqs
    lost = sum(y - x - 1 for x, y in zip(s, s[1:]) if y > x + 1)
    disorder = sum(1 for x, y in zip(s, s[1:]) if y <= x)
    table(['run', 'samples', 'gaps', 'samples lost', 'out of order', 'pull errors', 'ticks missed, agent', 'ticks missed, bare reader',
           'lines in the catch-up'],
          [[f'100 Hz, {a.seconds:g} s', len(s), sum(1 for x, y in zip(s, s[1:]) if y > x + 1), lost, disorder, puller.errors,
            sampler['missed'], bare, lines]])


def catchup(a):
    """Wake-up lateness of the ticks during a full catch-up, against the ticks just before it."""
    rows = []
    agent = Agent(a.build, 100)
    time.sleep(62)
    for _ in range(a.rounds):
        time.sleep(2)
        newest = int(agent.json('/healthz')['seq'])
        start = time.monotonic()
        body = agent.get('/samples?since=oldest&max=10000')
        took = time.monotonic() - start
        after = int(agent.json('/healthz')['seq'])
        time.sleep(0.1)

        def late(first, last):
            lines = agent.get(f'/samples?since={first}&max={max(1, last - first)}').splitlines()
            return [json.loads(l)['self']['wake_ns'] / 1e6 for l in lines if l.startswith(b'{"seq"')]

        before, during = late(newest - 200, newest), late(newest, max(after, newest + 1))
        rows.append([body.count(b'\n'), f'{len(body) / 1e6:.1f}', f'{took * 1e3:.0f}', f'{statistics.median(before):.2f} / {max(before):.2f}',
                     f'{statistics.median(during):.2f} / {max(during):.2f}'])
    agent.stop()
    table(['lines', 'MB', 'took ms', 'lateness before, median / worst ms', 'during, median / worst ms'], rows)


def sizes(a):
    agents = router_agents(a.build)
    if not agents:
        sys.exit(f"bench: no router agents in {os.path.join(a.build, 'agents')}, so there is nothing to say about sizes: "
                 f'cmake -S . -B {a.build} -DMIKROSCOPE_EMBED_AGENTS=ON, then build the target mikroscope')
    rows = [[os.path.relpath(path, a.build), os.path.getsize(path)] for path in agents.values()]
    cli = os.path.join(a.build, 'mikroscope')
    if not os.access(cli, os.X_OK):
        sys.exit(f'bench: no {cli}: build the target mikroscope, which makes the images')
    with tempfile.TemporaryDirectory() as d:
        for arch in ('amd64', 'arm64', 'armv7', 'arm'):
            out = os.path.join(d, arch + '.tar')
            if subprocess.run([cli, 'image', '--arch', arch, '--out', out], capture_output=True).returncode == 0:
                rows.append([f'image {arch}', os.path.getsize(out)])
    table(['file', 'bytes'], sorted(rows))


def plot(a):
    with tempfile.TemporaryDirectory() as d:
        prefix = os.path.join(d, 'hour')
        subprocess.run([os.path.join(a.build, 'tests/bench/bench_make_recording'), '100', str(int(a.seconds)), prefix + '.jsonl', '1234.5'], check=True)
        size = os.path.getsize(prefix + '.jsonl')
        with open(prefix + '.jsonl', 'rb') as f:
            digest = hashlib.sha256()
            while piece := f.read(1 << 20):
                digest.update(piece)
        out, drawn = [], []
        for name, meta in (('with the meta file of a finished recording', dict(complete=True, jsonl_sha256=digest.hexdigest(), jsonl_bytes=size)),
                           ('without: the hash is computed', None)):
            if meta:
                with open(prefix + '.meta.json', 'w') as f:
                    json.dump(meta, f)
            elif os.path.exists(prefix + '.meta.json'):
                os.remove(prefix + '.meta.json')
            rows = []
            for _ in range(a.rounds):
                start = time.monotonic()
                p = subprocess.Popen([os.path.join(a.build, 'mikroscope'), 'plot', '--in', prefix, '--out', prefix + '.svg'], stdout=subprocess.DEVNULL)
                _, status, usage = os.wait4(p.pid, 0)
                p.returncode = os.waitstatus_to_exitcode(status)
                rows.append((time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, p.returncode))
            out.append([name, spread([r[0] for r in rows]), spread([r[1] for r in rows]), f'{max(r[2] for r in rows):.0f}',
                        f'{os.path.getsize(prefix + ".svg") / 1e3:.0f}', rows[-1][3]])
            drawn.append(open(prefix + '.svg').read().replace(' sha256_of="meta.json"', ''))  # where the hash was taken from
        print(f'100 Hz, {a.seconds:g} s, {int(100 * a.seconds)} samples, {size / 1e6:.0f} MB; '
              f'the two figures are {"the same" if drawn[0] == drawn[1] else "NOT the same"}\n')
        table(['recording', 'wall s', 'CPU s', 'peak MiB', 'SVG kB', 'exit'], out)


def deploy(a):
    """Wall time of our own: the double is told to take none for what a router takes long for."""
    cli, image = os.path.join(a.build, 'mikroscope'), os.environ.get('MIKROSCOPE_TEST_IMAGE')
    rows = []
    with tempfile.TemporaryDirectory() as d:
        double = subprocess.Popen([os.path.join(a.build, 'tests/mikroscope-routersim'), '--arch', 'x86_64', '--run', 'loopback', '--control',
                                   '--die-with-parent', '--password', 'bench', '--preset', 'home,advanced', '--extract-ms', '0', '--start-ms', '0',
                                   '--stop-ms', '0', '--remove-ms', '0'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        said = ''.join(iter(double.stdout.readline, 'ready\n'))
        port = dict(re.findall(r'^(api-ssl|ssh) \S+:(\d+)', said, re.M))
        env = dict({k: v for k, v in os.environ.items() if not k.startswith('MIKROSCOPE_')}, MIKROSCOPE_PASSWORD='bench', XDG_STATE_HOME=d,
                   XDG_CONFIG_HOME=d)
        for via, flag in (('api-ssl', '--api-port'), ('ssh', '--ssh-port')):
            took = []
            for _ in range(a.rounds):
                parts = []
                for verb in (['install', *(['--agent-tar', image] if image else [])], ['uninstall']):
                    start = time.monotonic()
                    ran = subprocess.run([cli, *verb, '--yes', '--router', 'admin@127.0.0.1', '--via', via, flag, port[via], '--ssh-port', port['ssh']],
                                         env=env, capture_output=True, text=True)
                    parts.append(time.monotonic() - start)
                    if ran.returncode:
                        sys.exit(f'bench: {verb[0]} by {via}: {ran.stdout}{ran.stderr}')
                took.append(parts)
            rows.append([via, *(spread([t[k] for t in took]) for k in (0, 1)), spread([sum(t) for t in took])])
        double.stdin.close()
        double.wait(10)
    table(['session', 'install + probe s', 'uninstall s', 'together s'], rows)


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def lines(a):
    agent = Agent(a.build, 10)
    time.sleep(6)
    with tempfile.TemporaryDirectory() as d:
        for name, accept in (('packed', 'application/vnd.mikroscope.frames'), ('ndjson', 'application/x-ndjson')):
            with open(os.path.join(d, name), 'wb') as f:
                f.write(agent.get('/samples?since=oldest&max=1000', accept))
        agent.stop()
        subprocess.run([os.path.join(a.build, 'tests/bench/bench_lines'), os.path.join(d, 'packed'), os.path.join(d, 'ndjson'), str(a.seconds)], check=True)


def fleet(a):
    """Every agent is the same real one, passed on by bench_fleet; the stores are bench_fleet too, which only counts."""
    agent = Agent(a.build, 10)
    port = free_port()
    passer = subprocess.Popen([os.path.join(a.build, 'tests/bench/bench_fleet'), agent.url, str(port)])
    time.sleep(1)
    url = f'http://127.0.0.1:{port}'
    with tempfile.TemporaryDirectory() as d:
        out = open(os.path.join(d, 'out'), 'w+')
        env = {k: v for k, v in os.environ.items() if not k.startswith('MIKROSCOPE_')}
        argv = [os.path.join(a.build, 'mikroscope'), 'forward', *(x for i in range(a.routers) for x in ('--url', f'r{i:04}={url}')),
                '--influx', url, '--influx-db', 'x', '--influx-version', '3', '--telegraf', url, '--spool', os.path.join(d, 'spool'),
                '--poll', '1s', '--no-detections']
        p = subprocess.Popen(argv, stdout=out, stderr=out, env=env)
        time.sleep(15)  # all are there by then
        begin, cpu, peak = time.monotonic(), cpu_ns(p.pid), 0
        while time.monotonic() - begin < a.seconds:
            time.sleep(1)
            peak = max(peak, rss_kib(p.pid))
        took, cpu = time.monotonic() - begin, cpu_ns(p.pid) - cpu
        p.send_signal(signal.SIGTERM)
        p.wait(60)
        out.seek(0)
        last = out.read().strip().splitlines()[-3:]
    passer.terminate()
    passer.wait()
    agent.stop()
    table(['routers', 'seconds', 'of one core', 'most MiB'], [[a.routers, f'{took:.0f}', f'{cpu / 1e9 / took:.2f}', f'{peak / 1024:.0f}']])
    print('\n'.join(['', *last]))


def outage(a):
    agent = Agent(a.build, 10)
    with tempfile.TemporaryDirectory() as d:
        port = free_port()
        with open(os.path.join(d, 'influx.conf'), 'w') as f:
            f.write(f'reporting-disabled = true\nbind-address = "127.0.0.1:{free_port()}"\n[meta]\ndir = "{d}/meta"\n[data]\ndir = "{d}/data"\nwal-dir = "{d}/wal"\n'
                    f'[http]\nbind-address = "127.0.0.1:{port}"\nlog-enabled = false\n[monitor]\nstore-enabled = false\n[subscriber]\nenabled = false\n')
        store = lambda: subprocess.Popen(['influxd', 'run', '-config', os.path.join(d, 'influx.conf')], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def ask(query, method='GET'):
            try:
                q = urllib.parse.urlencode({'db': 'x', 'epoch': 'ns', 'q': query})
                return json.load(urllib.request.urlopen(urllib.request.Request(f'http://127.0.0.1:{port}/query?{q}', method=method), timeout=10))
            except OSError:
                return None

        def seqs():
            found = ask('SELECT seq FROM mikroscope_sample') or {}
            series = found.get('results', [{}])[0].get('series', [])
            return [v[1] for v in series[0]['values']] if series else []

        server = store()
        while ask('CREATE DATABASE x', 'POST') is None:
            time.sleep(0.1)
        env = {k: v for k, v in os.environ.items() if not k.startswith('MIKROSCOPE_')}
        p = subprocess.Popen([os.path.join(a.build, 'mikroscope'), 'forward', '--url', f'r={agent.url}', '--influx', f'http://127.0.0.1:{port}', '--influx-db', 'x',
                              '--influx-version', '1', '--spool', os.path.join(d, 'spool')], env=env, stderr=subprocess.DEVNULL)
        while len(seqs()) < 20:
            time.sleep(0.2)
        server.terminate()
        server.wait()
        time.sleep(a.seconds)
        server = store()
        begin = time.monotonic()
        while ask('SHOW DATABASES') is None:
            time.sleep(0.05)
        newest = agent.json('/healthz')['seq']
        while not (seqs() or [0])[-1] >= newest:
            time.sleep(0.2)
        took = time.monotonic() - begin
        p.send_signal(signal.SIGTERM)
        p.wait(60)
        found = seqs()
        server.terminate()
        server.wait()
    agent.stop()
    table(['store away s', 'caught up after s', 'samples', 'lost', 'twice'],
          [[f'{a.seconds:g}', f'{took:.1f}', len(found), found[-1] - found[0] + 1 - len(set(found)), len(found) - len(set(found))]])


def main():
    verbs = dict(lines=lines, fleet=fleet, outage=outage, cost=cost, memory=memory, hour=hour, gaps=gaps, catchup=catchup, sizes=sizes, plot=plot, subtick=subtick, deploy=deploy)
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('build')
    p.add_argument('verb', choices=verbs)
    p.add_argument('--rates', type=lambda s: [int(x) for x in s.split(',')], default=[10, 100])
    p.add_argument('--rounds', type=int)
    p.add_argument('--seconds', type=float)
    p.add_argument('--other', help='cost: a second agent program, measured in the same windows')
    p.add_argument('--routers', type=int, default=1000)
    p.add_argument('--arms', default='', help='cost: only arms whose name contains this')
    a = p.parse_args()
    a.rounds = a.rounds or dict(cost=10, subtick=5, catchup=5, plot=3, deploy=10).get(a.verb, 1)
    a.seconds = a.seconds or dict(cost=6, subtick=6, gaps=300, plot=3600, lines=5, fleet=60, outage=600).get(a.verb, 0)
    print(f'{a.verb}: {machine()}')
    if a.verb not in ('plot', 'sizes', 'deploy'):
        path, what = agent_program(a.build)
        print(f'agent: {path}, {os.path.getsize(path)} bytes, {what}')
    print(flush=True)
    verbs[a.verb](a)


main()
