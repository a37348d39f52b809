import { sentence } from '../context/sentence.ts';
import { type PowerEffect, powerCallerWords } from '../pretradePorts.ts';
import type { TokenReading } from '../tokenReading.ts';
import { type FoundPower, powersOf } from './powerMemory.ts';

/** In the order of the sentences, the most severe first. */
const effects: Record<PowerEffect, string> = {
  seize: "take a holder's balance",
  'block-all-sales': 'block all sales',
  'block-holder': 'block the sales of a single holder',
  mint: 'mint, or raise a balance',
  'raise-tax': 'raise the sale tax',
  'limit-trades': 'limit the size or time of sales',
};

/** One sentence for each kind of effect and caller. Scans are reused, so the block may be an earlier one. */
export function describePowers({ powers }: Pick<TokenReading, 'powers'>): string[] {
  const found = powersOf(powers);
  const groups = new Map<string, FoundPower[]>();
  for (const effect of Object.keys(effects)) {
    for (const power of found.filter((candidate) => candidate.effect === effect)) {
      const key = `${power.isOfOtherToken}|${power.caller}|${effect}`;
      groups.set(key, [...(groups.get(key) ?? []), power]);
    }
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const functions = [...new Set(group.map(({ name, selector, args }) => name ?? `${selector}(${args})`))].join(
      ' or ',
    );
    const { caller, effect, blockNumber, isOfOtherToken } = first;
    const power = `${powerCallerWords[caller]} can ${effects[effect]} by ${functions}`;
    return [
      isOfOtherToken
        ? `In another token with the same code, ${power} (simulated at block ${blockNumber}).`
        : sentence(`${power} (simulated with this code at block ${blockNumber})`),
    ];
  });
}

/** States the block of a scan that is older than the answer: accounts that got powers since were not tried. */
export function describeEarlierScan({ powers, exit }: Pick<TokenReading, 'powers' | 'exit'>): string | undefined {
  if (powers.status !== 'scanned' || powers.scan.callsTried === 0) return undefined;
  const { blockNumber } = powers.scan;
  if (BigInt(blockNumber) >= exit.blockNumber) return undefined;
  return `Owner functions were tried at block ${blockNumber}, by the accounts known then.`;
}
