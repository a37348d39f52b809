import { getAddress } from 'viem';
import { groupsOf } from '../bytecode/fingerprints.ts';
import { groupOfFunction } from '../bytecode/signatures.ts';
import { sentence } from '../context/sentence.ts';
import { type PowerEffect, powerCallerWords } from '../pretradePorts.ts';
import { routerAddresses } from '../simulation/routers.ts';
import type { TokenReading } from '../tokenReading.ts';
import { couldBePower } from './attempts.ts';
import { type FoundPower, powersOf, scanGap } from './powerMemory.ts';

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

type PowerReading = Pick<TokenReading, 'code' | 'calledContracts' | 'exit' | 'powers' | 'known' | 'listed' | 'dropped'>;

/**
 * Why a power of a group may have been missed; null if every function was tried. A function counts as tried only if a
 * call of it succeeded, because an account that was not tried may be allowed to call it.
 */
export function powerGap(reading: PowerReading, group: 'blacklist' | 'mint'): string | null {
  const { code, exit, powers } = reading;
  if (!exit.hasCode) return 'there is no contract at this address';
  const groups = groupsOf(code);
  if (!groups) return 'the bytecode could not be analysed completely';
  if (group === 'mint' && !exit.totalSupply)
    return 'totalSupply() is zero or cannot be read, so that a raised balance cannot be recognised';
  const gap = scanGap(powers);
  if (gap !== null || powers.status !== 'scanned') return gap;
  if (code?.hidesFunctions) return 'calls with an unknown selector may change state, so the code may hide functions';
  const { callsTried, functionsRefused } = powers.scan;
  const unexecuted = (code?.functions ?? []).filter(
    ({ selector }) => callsTried === 0 || functionsRefused.includes(selector),
  );
  const why = callsTried === 0 ? 'no account that may call them is known' : 'no simulated call of them succeeded';
  if (unexecuted.some(({ selector, writes }) => writes && groupOfFunction(selector) === group))
    return `the code has ${group} functions, and ${why}`;
  if (couldBePower(unexecuted, group)) return `the code has functions that change state, and ${why}`;
  // Another contract can mint only if a proxy delegates to it.
  return group === 'blacklist' || code?.proxy.status === 'proxy' ? calledContractGap(reading) : null;
}

/**
 * Why a called contract may decide about transfers. null if transfers call only pools, routers, base assets and the code
 * behind a proxy.
 */
function calledContractGap({ code, calledContracts, exit, known, listed, dropped }: PowerReading): string | null {
  if (!calledContracts)
    return 'transfers call a contract that could not be determined, so its functions were not tried';
  const pools = [...exit.exits, ...known, ...listed, ...dropped].map(({ pool }) => pool);
  const bases = exit.bases.map(({ token }) => token);
  const proxy = code?.proxy.status === 'proxy' ? [code.proxy.beacon, code.proxy.implementation] : [];
  const trusted = new Set([...pools, ...bases, ...proxy, ...routerAddresses]);
  const other = calledContracts.find((contract) => !trusted.has(contract));
  if (other === undefined) return null;
  return BigInt(other) === 0n
    ? 'transfers call a contract that is not set yet, so its functions were not tried'
    : `transfers call the contract ${getAddress(other)}, whose functions were not tried`;
}
