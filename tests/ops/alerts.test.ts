import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { exposedMetrics } from './exposed.ts';
import { type Query, readPromql } from './promql.ts';

// Rules and dashboard must use exposed metrics only: an alert on a metric that does not exist never fires.

const ops = join(import.meta.dirname, '..', '..', 'ops');
const load = (name: string) => readFile(join(ops, name), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
interface Panel {
  title: string;
  type: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string; legendFormat: string }[];
}

const rules = (parse(await load('alerts.yaml')) as { groups: { name: string; rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(await load('dashboard.json')) as {
  panels: Panel[];
  annotations: { list: { expr?: string }[] };
  templating: { list: { name: string; type: string; query: string }[] };
};
/** Replaces variables by their default values, as Grafana does before it sends an expression. */
const fillIn = (expr: string): string =>
  dashboard.templating.list
    .filter(({ type }) => type === 'textbox')
    .reduce((filled, { name, query }) => filled.replaceAll(`$${name}`, query), expr);
const targets = dashboard.panels.flatMap(({ title, targets: queries = [] }) =>
  queries.map((one) => ({ title, ...one, expr: fillIn(one.expr) })),
);
const exposed = await exposedMetrics();

/** Labels that Prometheus adds. */
const scrapeLabels = new Set(['job', 'instance']);
/** Labels whose values all appear in `exposedMetrics`. An outcome appears only after it has occurred. */
const closedLabels = new Set(['state', 'phase']);

function faultsOf({ selectors, grouping }: Query): string[] {
  const labelsOf = (metric: string) => [...(exposed.get(metric)?.labels.keys() ?? [])];
  const known = new Set([...scrapeLabels, 'le', ...selectors.flatMap(({ metric }) => labelsOf(metric))]);
  return [
    ...grouping.filter((label) => !known.has(label)).map((label) => `no metric has a label ${label}`),
    ...selectors.flatMap(({ metric, matchers }) => {
      if (metric === 'up') return [];
      const found = exposed.get(metric);
      if (!found) return [`${metric} is not exposed`];
      return matchers.flatMap(({ label, isEqual, value }) => {
        const values = found.labels.get(label);
        if (!values) return scrapeLabels.has(label) ? [] : [`${metric} has no label ${label}`];
        return isEqual && closedLabels.has(label) && !values.has(value) ? [`${metric} is never ${label}=${value}`] : [];
      });
    }),
  ];
}

test('finds unknown metrics and labels in expressions', () => {
  expect(readPromql('sum by (of) (rate(a_total{b="c", d!="e"}[5m])) > 3')).toEqual({
    selectors: [
      {
        metric: 'a_total',
        matchers: [
          { label: 'b', isEqual: true, value: 'c' },
          { label: 'd', isEqual: false, value: 'e' },
        ],
      },
    ],
    grouping: ['of'],
  });
  expect(() => readPromql('sum by (of (a)')).toThrow(SyntaxError);
  expect(faultsOf(readPromql('truefill_store_down == 1'))).toEqual(['truefill_store_down is not exposed']);
  expect(faultsOf(readPromql('sum by (unknown) (truefill_gas_state{stat="ok"})'))).toHaveLength(2);
  expect(faultsOf(readPromql('truefill_gas_state{state="fine"}'))).toHaveLength(1);
});

test.each(rules)('alert $alert uses exposed metrics and contains instructions', (rule) => {
  expect(faultsOf(readPromql(rule.expr))).toEqual([]);
  expect(rule.labels.severity).toMatch(/^(page|ticket)$/);
  expect(rule.annotations.summary?.length).toBeGreaterThan(20);
  expect(rule.annotations.action?.length).toBeGreaterThan(20);
  const labels = [
    ...Object.values(rule.annotations)
      .join(' ')
      .matchAll(/\$labels\.(\w+)/g),
  ].map(([, label]) => label);
  const query = readPromql(rule.expr);
  const known = new Set([
    ...scrapeLabels,
    ...query.grouping,
    ...query.selectors.flatMap(({ metric }) => [...(exposed.get(metric)?.labels.keys() ?? [])]),
  ]);
  for (const label of labels) expect(known, label).toContain(label);
});

test('alert names are unique, and alerts about money have severity page', () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  const pages = rules.filter(({ labels }) => labels.severity === 'page').map(({ alert }) => alert);
  for (const name of [
    'TruefillCreditOwed',
    'TruefillPaymentUnfinished',
    'TruefillGasEmpty',
    'TruefillDatabaseUnavailable',
  ]) {
    expect(pages).toContain(name);
  }
});

interface AlertCase {
  alertname: string;
  exp_alerts?: unknown[];
}
const cases = (parse(await load('alerts.test.yaml')) as { tests: { alert_rule_test: AlertCase[] }[] }).tests.flatMap(
  (one) => one.alert_rule_test,
);

test.each(rules)('alerts.test.yaml has a firing and a silent case for $alert', ({ alert }) => {
  const own = cases.filter(({ alertname }) => alertname === alert);
  expect(own.some(({ exp_alerts }) => exp_alerts?.length)).toBe(true);
  expect(own.some(({ exp_alerts }) => !exp_alerts)).toBe(true);
});

const promtool = spawnSync('promtool', ['--version']);
test.skipIf(promtool.error)('promtool accepts the rules and their test cases pass', () => {
  const { status, stderr } = spawnSync('promtool', ['test', 'rules', join(ops, 'alerts.test.yaml')], {
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
});

test.each(targets)('panel "$title" queries exposed metrics: $expr', ({ expr }) => {
  expect(faultsOf(readPromql(expr))).toEqual([]);
});

test('dashboard panels fit the grid without overlap, and annotations query exposed metrics', () => {
  const taken = new Set<string>();
  for (const { title, gridPos } of dashboard.panels) {
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(x, title).toBeLessThan(24);
        expect(taken.has(`${x},${y}`), title).toBe(false);
        taken.add(`${x},${y}`);
      }
    }
  }
  for (const { expr } of dashboard.annotations.list) if (expr) expect(faultsOf(readPromql(expr))).toEqual([]);
});

test('every truefill metric is on the dashboard or in an alert', () => {
  const queried = [...rules, ...targets].flatMap(({ expr }) => readPromql(expr).selectors.map(({ metric }) => metric));
  const used = new Set(queried.map((metric) => metric.replace(/_(bucket|sum|count)$/, '')));
  const unused = [...exposed]
    .filter(
      ([name, { type }]) =>
        name.startsWith('truefill_') && !(type === 'histogram' && /_(bucket|sum|count)$/.test(name)),
    )
    .map(([name]) => name)
    .filter((name) => !used.has(name));
  // Version and draining need no alert: operators look them up when another one fires.
  expect(unused).toEqual(['truefill_build_info', 'truefill_draining']);
});
