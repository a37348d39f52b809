import { expect, test } from 'vitest';
import type { TransferFinding } from '../axes/transferFinding.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { CodeFacts } from '../tokenMemory.ts';
import { tradingEnabledBy, weighGates } from './gates.ts';
import { getters } from './signatures.ts';

const working = { canBuy: true, canSell: true } as TransferFinding;

/** A token whose getters of these names answer so. */
function weigh(words: Record<string, bigint>, trade = working) {
  const reading = {
    getters: getters.map(({ name }) => ({ ok: name in words, word: words[name] ?? 0n })),
    answersEverything: false,
  } as ExitReading;
  const functions = getters.filter(({ name }) => name in words).map(({ selector }) => ({ selector }));
  return weighGates(reading, { functions } as unknown as CodeFacts, trade);
}

test('default: a gate that reads false is closed, whatever trades show', () => {
  expect(weigh({ tradingEnabled: 0n })).toMatchObject({ state: 'closed', pauses: [] });
  expect(weigh({ tradingEnabled: 1n })).toMatchObject({ state: 'open', reasons: [] });
});

test('behavior: a name that may mean something else needs a trade that is refused', () => {
  expect(weigh({ swapEnabled: 0n }).state).toBe('none');
  expect(weigh({ swapEnabled: 0n }, { ...working, canBuy: false }).state).toBe('closed');
});

test('behavior: an unambiguous gate that reads open takes precedence over an ambiguous getter', () => {
  const refused = { ...working, canSell: false };
  const gate = weigh({ swapEnabled: 0n, tradingOpen: 1n }, refused);
  expect(gate).toMatchObject({ state: 'open', reasons: [expect.stringContaining('tradingOpen() reads true')] });
  expect(weigh({ swapEnabled: 0n }, refused).state).toBe('closed');
  expect(weigh({ tradingEnabled: 0n, tradingOpen: 1n }, refused).state).toBe('closed');
});

test('reports a lock that reads true, without a closed gate', () => {
  expect(weigh({ locked: 1n, paused: 0n })).toMatchObject({ state: 'none', pauses: ['locked'] });
});

test.each(['paused', 'isPaused', 'tradingPaused', 'transfersPaused'])(
  '%s() that reads true closes the gate only if simulated trades are refused as well',
  (getter) => {
    const refused = { ...working, canBuy: false, canSell: null } as TransferFinding;
    expect(weigh({ [getter]: 1n }, refused)).toMatchObject({
      state: 'closed',
      reasons: [`${getter}() reads true and a simulated purchase by an ordinary wallet is refused.`],
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
  '%s() that reads true closes no gate, because its name may mean another lock',
  (getter) => {
    expect(weigh({ [getter]: 1n }, { ...working, canBuy: false }).state).toBe('none');
  },
);

test('behavior: a lock alone does not say that trading is off; with a refused trade it does', () => {
  const enabled = (canBuy: boolean | null) => {
    const trade = { ...working, canBuy, canSell: canBuy };
    return tradingEnabledBy(weigh({ locked: 1n }, trade), trade);
  };
  expect([enabled(null), enabled(false), enabled(true)]).toEqual([null, false, true]);
});
