import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { commonVariables } from '../../server/config/commonVariables.ts';
import { liveVariables } from '../../server/config/liveVariables.ts';
import { serviceArguments } from '../../tools/load/serviceArguments.ts';
import { readDockerfile } from '../../tools/release/readDockerfile.ts';

// Compares the deployment files with the code. No other test reads them; `npm run check:container` runs the Dockerfile.

const root = join(import.meta.dirname, '..', '..');
const load = (name: string) => readFileSync(join(root, name), 'utf8');
const variables = new Set([
  'TRUEFILL_MODE',
  ...Object.keys(commonVariables.shape),
  ...Object.keys(liveVariables.shape),
]);

const stages = readDockerfile(load('ops/Dockerfile'));
const steps = stages.flatMap((stage) => stage.steps);
const copied = steps
  .filter(({ instruction, rest }) => instruction === 'COPY' && !rest.startsWith('--from'))
  .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1));

/** Every project file that production loads, starting at server/main.ts, without the sandbox. */
function productionFiles(): Set<string> {
  const seen = new Set<string>();
  const walk = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const imports = /(?:from|import|URL)\s*\(?\s*'(\.[^']+\.(?:ts|json))'/g;
    for (const [, specifier = ''] of load(file).matchAll(imports)) {
      const next = relative(root, join(root, dirname(file), specifier));
      if (!next.startsWith('sandbox/') && next.endsWith('.ts')) walk(next);
      else if (!next.startsWith('sandbox/')) seen.add(next);
    }
  };
  walk('server/main.ts');
  // Operators run it in the container.
  walk('server/ledgerCommand/main.ts');
  // Bundled for browsers on first request.
  for (const name of ['site', 'search', 'try', 'pay', 'demoAccount', 'swagger']) walk(`docs-site/browser/${name}.ts`);
  return seen;
}

test('the image contains every file that production loads, and neither sandbox nor tests', () => {
  const files = [...productionFiles()];
  expect(files.length).toBeGreaterThan(300);
  const isCopied = (file: string) => copied.some((path) => file === path || file.startsWith(`${path}/`));
  expect(files.filter((file) => !isCopied(file))).toEqual([]);
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(copied.filter((path) => /^(sandbox|tests|tools|client|\.)$/.test(path))).toEqual([]);
});

test('the build context contains exactly the paths that the Dockerfile copies', () => {
  const sent = load('ops/Dockerfile.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'));
  expect(sent.map((line) => line.slice(1)).sort()).toEqual([...new Set(copied)].sort());
});

test('image, unit and npm start set the same V8 memory limits', () => {
  const flags = (text: string) => text.match(/--(?:(?:min|max)-semi-space-size|heap-growing-percent)=\d+/g);
  const measured = serviceArguments.filter((argument) => argument.startsWith('--'));
  expect(measured.length).toBe(3);
  const commands = [
    JSON.parse(load('package.json')).scripts.start,
    load('ops/Dockerfile'),
    load('ops/truefill.service'),
  ];
  for (const command of commands) expect(flags(command)).toEqual(measured);
});

test('the image runs unprivileged in live mode with a health check', () => {
  const last = stages.at(-1)?.steps ?? [];
  const of = (instruction: string) => last.filter((step) => step.instruction === instruction).map(({ rest }) => rest);
  expect(of('USER')).toEqual(['node']);
  expect(of('ENV').join()).toContain('TRUEFILL_MODE=live');
  expect(of('HEALTHCHECK').join()).toContain('/ready');
  for (const { image } of stages) expect(image).toMatch(/^node:\d+\.\d+-/);
});

interface Compose {
  services: Record<
    string,
    {
      image?: string;
      environment?: Record<string, string>;
      stop_grace_period?: string;
      ports?: string[];
      networks: string[];
      volumes?: string[];
    }
  >;
}
const compose = parse(load('ops/compose.yaml')) as Compose;
const prometheus = parse(load('ops/prometheus.yaml')) as {
  rule_files: string[];
  scrape_configs: { job_name: string; dns_sd_configs: { names: string[]; port: number }[] }[];
};

test('compose sets known variables, waits for settlements on stop and publishes ports on loopback only', () => {
  const { truefill, database } = compose.services;
  expect(Object.keys(truefill?.environment ?? {}).filter((name) => !variables.has(name))).toEqual([]);
  expect(Number.parseInt(truefill?.stop_grace_period ?? '', 10)).toBeGreaterThan(30);
  for (const service of Object.values(compose.services)) {
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  }
  expect(database?.networks).toEqual(['database']);
  for (const service of Object.values(compose.services)) {
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('./')) expect(existsSync(join(root, 'ops', source)), source).toBe(true);
    }
  }
});

test('Grafana loads the dashboard from the folder that compose mounts, with Prometheus as its data source', () => {
  const mounts = compose.services.grafana?.volumes ?? [];
  const provider = parse(load('ops/grafana/dashboards.yaml')).providers[0];
  expect(mounts).toContain(`./dashboard.json:${provider.options.path}/truefill.json:ro`);
  expect(parse(load('ops/grafana/datasources.yaml')).datasources[0]).toMatchObject({
    type: 'prometheus',
    url: 'http://prometheus:9090',
  });
  expect(Object.keys(compose.services)).toContain('prometheus');
});

test('Prometheus sends alerts to the Alertmanager, which has a route for every severity', () => {
  const [manager] = parse(load('ops/prometheus.yaml')).alerting.alertmanagers;
  expect(manager.static_configs[0].targets).toEqual(['alertmanager:9093']);
  const { route, receivers } = parse(load('ops/alertmanager.yaml'));
  const severities = new Set([...load('ops/alerts.yaml').matchAll(/severity: (\w+)/g)].map(([, severity]) => severity));
  expect(route.routes.map(({ matchers }: { matchers: string[] }) => matchers[0])).toEqual(
    [...severities].map((severity) => `severity="${severity}"`),
  );
  expect(receivers.map(({ name }: { name: string }) => name)).toContain(route.receiver);
});

test('Prometheus scrapes the metrics port under the job name of the alerts', () => {
  const [job] = prometheus.scrape_configs;
  expect(job?.job_name).toBe('truefill');
  expect(job?.dns_sd_configs[0]).toMatchObject({
    names: ['truefill'],
    port: Number(compose.services.truefill?.environment?.METRICS_PORT),
  });
  expect(prometheus.rule_files).toEqual(['alerts.yaml']);
});

const unit = load('ops/truefill.service');
const valuesOf = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

test('the unit runs the image’s command with known variables and waits for settlements on stop', () => {
  const command = steps.findLast(({ instruction }) => instruction === 'CMD')?.rest ?? '';
  const [program = '', ...args] = JSON.parse(command) as string[];
  expect(valuesOf('ExecStart')).toEqual([[`/usr/bin/${program}`, ...args].join(' ')]);
  const names = valuesOf('Environment').flatMap((text) => text.split(' ').map((pair) => pair.split('=')[0] ?? ''));
  expect(names.filter((name) => name !== 'NODE_ENV' && !variables.has(name))).toEqual([]);
  expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(30);
});

const analyze = spawnSync('systemd-analyze', ['--version']);
test.skipIf(analyze.error)('systemd accepts the unit and rates its exposure as low', () => {
  const file = join(root, 'ops', 'truefill.service');
  const { stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  // The unit's path of node may not exist on this machine.
  expect(stderr.split('\n').filter((line) => line !== '' && !/is not executable/.test(line))).toEqual([]);
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', file], { encoding: 'utf8' });
  const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
  expect(exposure).toBeLessThanOrEqual(1.5);
});

test('the environment example contains every variable exactly once', () => {
  const example = [...load('ops/truefill.env.example').matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name = '']) => name);
  expect(example.toSorted()).toEqual([...variables].toSorted());
});
