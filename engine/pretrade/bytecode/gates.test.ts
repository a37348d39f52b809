import { expect, test } from 'vitest';
import type { TransferFinding } from '../axes/transferFinding.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { CodeFacts } from './codeMemory.ts';
import { describeTrade, type GateFinding, tradingEnabledBy, weighGates } from './gates.ts';
import { getters } from './signatures.ts';

const working = { canBuy: true, canSell: true } as TransferFinding;

/** Weighs a token that has only the getters in `words`, each with its returned word. */
function weigh(words: Record<string, bigint>, trade = working) {
  const reading = {
    getters: getters.map(({ name }) => ({ ok: name in words, word: words[name] ?? 0n })),
    answersEverything: false,
  } as ExitReading;
  const functions = getters.filter(({ name }) => name in words).map(({ selector }) => ({ selector }));
  return weighGates(reading, { functions } as unknown as CodeFacts, trade);
}

test('default: a gate that returns false is closed, whatever the simulated trades', () => {
  expect(weigh({ tradingEnabled: 0n })).toMatchObject({ state: 'closed', pauses: [] });
  expect(weigh({ tradingEnabled: 1n })).toMatchObject({ state: 'open', reasons: [] });
});

test('behavior: an ambiguous getter that returns false closes the gate only if a simulated trade is refused', () => {
  expect(weigh({ swapEnabled: 0n }).state).toBe('none');
  expect(weigh({ swapEnabled: 0n }, { ...working, canBuy: false }).state).toBe('closed');
});

test('behavior: an unambiguous gate that reads open takes precedence over an ambiguous getter', () => {
  const refused = { ...working, canSell: false };
  const gate = weigh({ swapEnabled: 0n, tradingOpen: 1n }, refused);
  expect(gate).toMatchObject({ state: 'open', reasons: [expect.stringContaining('tradingOpen() returns true')] });
  expect(weigh({ swapEnabled: 0n }, refused).state).toBe('closed');
  expect(weigh({ tradingEnabled: 0n, tradingOpen: 1n }, refused).state).toBe('closed');
});

test('reports a lock that returns true, without a closed gate', () => {
  expect(weigh({ locked: 1n, paused: 0n })).toMatchObject({ state: 'none', pauses: ['locked'] });
});

test.each(['paused', 'isPaused', 'tradingPaused', 'transfersPaused'])(
  '%s() that returns true closes the gate only if simulated trades are refused as well',
  (getter) => {
    const refused = { ...working, canBuy: false, canSell: null } as TransferFinding;
    expect(weigh({ [getter]: 1n }, refused)).toMatchObject({
      state: 'closed',
      reasons: [`${getter}() returns true and a simulated purchase by an ordinary wallet is refused.`],
    });
    expect(weigh({ [getter]: 1n, tradingOpen: 1n }, refused).state).toBe('closed');
    expect(weigh({ [getter]: 1n }).state).toBe('none');
    expect(weigh({ [getter]: 1n }, { ...refused, canBuy: null }).state).toBe('none');
    expect(weigh({ [getter]: 0n }, refused).state).toBe('none');
    // Purchases work, so the pause stops no ordinary transfer: another rule refuses the sale.
    expect(weigh({ [getter]: 1n }, { ...working, canSell: false }).state).toBe('none');
  },
);

test.each(['frozen', 'locked'])(
  '%s() that returns true closes no gate, because its name may mean another lock',
  (getter) => {
    expect(weigh({ [getter]: 1n }, { ...working, canBuy: false }).state).toBe('none');
  },
);

test('behavior: with a lock that returns true, tradingEnabled equals the result of the trades, or is null without one', () => {
  const enabled = (canBuy: boolean | null) => {
    const trade = { ...working, canBuy, canSell: canBuy };
    return tradingEnabledBy(weigh({ locked: 1n }, trade), trade);
  };
  expect([enabled(null), enabled(false), enabled(true)]).toEqual([null, false, true]);
});

const selectorOf = (name: string) => getters.find((getter) => getter.name === name)?.selector;
const readingOf = (words: Record<string, { ok: boolean; word: bigint }>, answersEverything = false) =>
  ({
    getters: getters.map(({ name }) => words[name] ?? { ok: false, word: 0n }),
    answersEverything,
  }) as ExitReading;
const codeWith = (...names: string[]) =>
  ({ functions: names.map((name) => ({ selector: selectorOf(name) })) }) as unknown as CodeFacts;

test('ignores a getter that failed, returned no boolean, or is not in the code', () => {
  const closed = { ok: true, word: 0n };
  const stateOf = (word: { ok: boolean; word: bigint } | undefined, code?: CodeFacts, answersEverything = false) =>
    weighGates(readingOf(word ? { tradingEnabled: word } : {}, answersEverything), code, working).state;
  expect(stateOf(closed, codeWith('tradingEnabled'))).toBe('closed');
  expect(stateOf(closed, codeWith('swapEnabled'))).toBe('none');
  expect(stateOf({ ok: false, word: 0n }, codeWith('tradingEnabled'))).toBe('none');
  expect(stateOf({ ok: true, word: 2n }, codeWith('tradingEnabled'))).toBe('none');
  expect(stateOf({ ok: true, word: 1n }, codeWith('tradingEnabled'))).toBe('open');
  expect(weighGates({ ...readingOf({}), getters: [] }, codeWith(), working).state).toBe('none');
});

test('without readable code, trusts getters unless the token responds to every call', () => {
  const words = { tradingEnabled: { ok: true, word: 0n } };
  const unreadable = { functions: undefined } as CodeFacts;
  for (const code of [undefined, unreadable]) {
    expect(weighGates(readingOf(words), code, working).state).toBe('closed');
    expect(weighGates(readingOf(words, true), code, working).state).toBe('unknown');
  }
  // With readable code, a fallback that responds to every call changes nothing.
  expect(weighGates(readingOf(words, true), codeWith('tradingEnabled'), working).state).toBe('closed');
});

test('an ambiguous getter that returns true is an open gate', () => {
  expect(weigh({ swapEnabled: 1n })).toEqual({ state: 'open', reasons: [], pauses: [] });
  expect(weigh({})).toEqual({ state: 'none', reasons: [], pauses: [] });
});

test('gives a reason for each ambiguous getter that returns false and closes no gate', () => {
  const shown = 'a simulated purchase and sale by an ordinary wallet work';
  expect(weigh({ swapEnabled: 0n }).reasons).toEqual([
    `swapEnabled() returns false, but its name may mean something else and ${shown}.`,
  ]);
  expect(weigh({ swapEnabled: 0n, tradingOpen: 1n }).reasons).toEqual([
    `swapEnabled() returns false, but tradingOpen() returns true and ${shown}.`,
  ]);
  // Neither an open ambiguous getter nor a pause is an unambiguous gate.
  const { reasons } = weigh({ swapEnabled: 0n, paused: 1n, locked: 1n });
  expect(reasons).toEqual([`swapEnabled() returns false, but its name may mean something else and ${shown}.`]);
});

test('a pause and a lock that read false are no pauses', () => {
  expect(weigh({ paused: 0n, locked: 0n, tradingEnabled: 1n })).toEqual({ state: 'open', reasons: [], pauses: [] });
  expect(weigh({ paused: 1n, locked: 1n, tradingEnabled: 1n }).pauses.toSorted()).toEqual(['locked', 'paused']);
});

const gateOf = (state: GateFinding['state'], pauses: string[] = []) => ({ state, reasons: [], pauses });
const tradeOf = (canBuy: boolean | null, canSell: boolean | null) => ({ canBuy, canSell }) as TransferFinding;

test.each([
  ['closed', [], true, true, false],
  ['closed', ['paused'], null, null, false],
  ['open', ['locked'], null, null, null],
  ['open', ['locked'], false, null, false],
  ['open', ['locked'], true, true, true],
  ['open', ['locked'], true, false, null],
  ['open', [], true, true, true],
  ['none', [], true, true, true],
  ['open', [], true, false, null],
  ['open', [], false, null, null],
  ['open', [], false, true, null],
  ['open', [], null, null, true],
  ['open', [], true, null, true],
  ['none', [], null, null, null],
  ['none', [], true, null, null],
  ['unknown', [], null, null, null],
] as const)(
  'a gate %s with pauses %j, buy %s and sell %s means trading enabled: %s',
  (state, pauses, buy, sell, expected) => {
    expect(tradingEnabledBy(gateOf(state, [...pauses]), tradeOf(buy, sell))).toBe(expected);
  },
);

test.each([
  [null, null, 'no trade could be simulated'],
  [false, null, 'a simulated purchase by an ordinary wallet is refused'],
  [true, false, 'a simulated sale by an ordinary wallet is refused'],
  [true, true, 'a simulated purchase and sale by an ordinary wallet work'],
])('describes trades with buy %s and sell %s', (canBuy, canSell, expected) => {
  expect(describeTrade(tradeOf(canBuy, canSell))).toBe(expected);
});
