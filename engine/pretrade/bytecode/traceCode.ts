import type { Hex } from 'viem';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import { proxySlots } from './proxies.ts';
import type { ContractFunction } from './readFunctions.ts';
import { type Walk, walkCode } from './walkCode.ts';

/** A contract that transfers call: its address, or the storage slot that contains it, `bits` above the lowest bit. */
type CalledContract = LowerAddress | { slot: Hex; bits: number };

/** Work budget (`WalkBudget`) for all code of a token, about 50 ms. Anyone can deploy code that uses all of it. */
const maxWork = 120_000;

/** Effects of the code that a list of its public functions does not show. */
export interface CodeTrace {
  /** A call with an unknown selector may act on its arguments, so it may be a function that is not in `functions`. */
  hidesFunctions: boolean;
  /** Contracts that transfer() and transferFrom() call, except sender and receiver. Undefined: not all are known. */
  calledContracts: CalledContract[] | undefined;
  /** transfer() or transferFrom() reads the block number. */
  readsBlockNumber: boolean;
}

const transferSelectors: readonly Hex[] = ['0xa9059cbb', '0x23b872dd'];
/** Upgrade functions of proxies, which may compare the selector without a dispatcher. */
const upgradeSelectors = [0x3659cfe6n, 0x4f1ef286n, 0x8f283970n];

/**
 * Traces the token's own code and the code that it delegates to.
 *
 * @param parts the token's code, then the code behind it, with their functions
 */
export function traceCode(parts: readonly { code: Hex; functions: readonly ContractFunction[] }[]): CodeTrace {
  const isProxy = parts.length > 1;
  let hidesFunctions = false;
  const walks: Walk[] = [];
  const budget = { left: maxWork };
  for (const [index, { code, functions }] of parts.entries()) {
    const isForwarder = isProxy && index === 0;
    const selectors = functions.map(({ selector }) => BigInt(selector));
    const known = new Set([...selectors, ...(isForwarder ? upgradeSelectors : [])]);
    const fallback = walkCode(code, { known, budget });
    // A proxy forwards all arguments to code that is analysed too.
    const callsOthers = !isForwarder && fallback.delegates.length + fallback.calls.length > 0;
    const runsOtherCode = !isForwarder && fallback.delegates.length > 0;
    // What it writes can come from its arguments or from another contract.
    const { isComplete, readsArguments, writes } = fallback;
    const kinds = [readsArguments, writes, callsOthers].filter(Boolean).length;
    if (!isComplete || runsOtherCode || kinds > 1) hidesFunctions = true;
    // Transfers pass through it. A proxy can name one contract and delegate to another.
    if (isForwarder) walks.push(callsBeacon(fallback) ? withoutAnswer(fallback) : fallback);
    const transfers = functions.filter(({ selector }) => transferSelectors.includes(selector));
    walks.push(...transfers.map(({ selector }) => walkCode(code, { selector, known, budget })));
  }
  return {
    hidesFunctions,
    calledContracts: toCalledContracts(walks),
    readsBlockNumber: walks.some((walk) => walk.readsBlockNumber),
  };
}

/** Whether a proxy gets the address of its code from the beacon that it names. */
const callsBeacon = ({ calls }: Walk) =>
  calls.some((target) => typeof target === 'string' && target.startsWith('slot:') && toContract(target) === null);

/** Without unknown targets of DELEGATECALL: the beacon's answer. */
const withoutAnswer = (walk: Walk): Walk => ({ ...walk, delegates: walk.delegates.filter((to) => to !== 'unknown') });

function toCalledContracts(walks: readonly Walk[]): CalledContract[] | undefined {
  const calledContracts = new Map<string, CalledContract>();
  for (const { isComplete, calls, delegates } of walks) {
    if (!isComplete) return undefined;
    for (const target of [...calls, ...delegates]) {
      // Sender and receiver can refuse only their own transfers.
      if (target === 'party') continue;
      const contract = toContract(target);
      if (contract === undefined) return undefined;
      if (contract !== null) calledContracts.set(JSON.stringify(contract), contract);
    }
  }
  return [...calledContracts.values()];
}

/** Converts a call's target. null: a proxy's beacon, which is read with the proxy. Undefined: unknown. */
function toContract(target: Walk['calls'][number]): CalledContract | null | undefined {
  if (typeof target === 'bigint') return toLowerAddress(`0x${target.toString(16).padStart(40, '0').slice(-40)}`);
  const [kind, slot = '0', bits] = target.split(':');
  if (kind !== 'slot') return undefined;
  const word: Hex = `0x${BigInt(slot).toString(16).padStart(64, '0')}`;
  return word === proxySlots.beacon ? null : { slot: word, bits: Number(bits) };
}
