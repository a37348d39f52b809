import { type Hex, numberToHex } from 'viem';
import type { Batch } from '../../chain/batch.ts';
import { randomAddress } from '../../chain/lensCall.ts';
import { type ContractRead, fromAggregateReply, toAggregateCall } from '../../chain/multicall3.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { hasB20Shape } from '../../venues/b20/b20.ts';
import { type B20Subjects, b20Calls, type KnownCalls, wantedCalls, wordOf } from './b20Calls.ts';

/** What the next check of the token reads again in its first request. */
export interface B20Memory {
  wallet: LowerAddress;
  calls: readonly ContractRead[];
}

/** Gas of all calls together: a few thousand each. */
const gas = numberToHex(12_000_000);
/** Maximum number of calls, so that a token with many role holders cannot make a request too large. */
const maxCalls = 400;

/**
 * Collects reads of a token with the address shape of B20, one `eth_call` for each batch that a check sends anyway. Which
 * calls are needed depends on earlier results: policy ids, role holders, pools.
 */
export class B20Ledger implements KnownCalls {
  /** An account that no list names: the ordinary wallet. It is random, because an issuer could allow a known one. */
  readonly wallet: LowerAddress;
  /** By call; undefined until its reply arrives, and if it failed. */
  readonly #results = new Map<string, Hex | undefined>();
  readonly #calls: ContractRead[] = [];
  /** Each stores the replies of one batch, and returns whether they have arrived. */
  #pending: (() => boolean)[] = [];

  constructor(
    readonly token: LowerAddress,
    private readonly memory: B20Memory | undefined,
  ) {
    this.wallet = memory?.wallet ?? randomAddress();
  }

  result({ to, data }: ContractRead): Hex | undefined {
    return this.#results.get(`${to}${data}`);
  }

  /** Whether the factory created the token; undefined if this is unknown. */
  get isCreated(): boolean | undefined {
    // A chain without the factory returns no word.
    const word = wordOf(this, b20Calls.initialized(this.token));
    return word === undefined ? undefined : word === 1n;
  }

  /** Adds the calls that are needed and not yet sent to a batch, as one `eth_call`. */
  addTo(batch: Batch, block: Hex | 'latest', subjects: B20Subjects): void {
    const isFirst = this.#calls.length === 0;
    const recalled = isFirst ? (this.memory?.calls ?? []) : [];
    const calls = this.isCreated === false ? [] : [...recalled, ...wantedCalls(this, subjects)];
    const sent = new Map(calls.map((call) => [`${call.to}${call.data}`, call]));
    for (const key of this.#results.keys()) sent.delete(key);
    const added = [...sent.values()].slice(0, maxCalls);
    if (added.length === 0) return;
    const reply = batch.add(toAggregateCall(added, gas, block));
    this.#calls.push(...added);
    for (const { to, data } of added) this.#results.set(`${to}${data}`, undefined);
    this.#pending.push(() => {
      const [answer] = reply();
      for (const [index, read] of fromAggregateReply(answer)?.entries() ?? []) {
        const call = added[index];
        if (call && read.success) this.#results.set(`${call.to}${call.data}`, read.returnData);
      }
      return answer !== undefined;
    });
  }

  /** Stores the replies that have arrived. Call it after each batch. */
  settle(): void {
    this.#pending = this.#pending.filter((store) => !store());
  }

  /** Calls that a repeat sends at once. */
  get remembered(): B20Memory {
    return { wallet: this.wallet, calls: this.#calls };
  }
}

/** Undefined for a token without the address shape of B20, which costs no call. */
export function openB20Ledger(token: LowerAddress, memory: B20Memory | undefined): B20Ledger | undefined {
  return hasB20Shape(token) ? new B20Ledger(token, memory) : undefined;
}
