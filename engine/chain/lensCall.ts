import {
  type Address,
  deploylessCallViaBytecodeBytecode,
  encodeDeployData,
  type Hex,
  numberToHex,
  parseAbi,
} from 'viem';
import { quoteLensArtifact } from '../../contracts/artifacts/lens/QuoteLens.ts';
import { type Node, NodeRefusedError } from './nodes.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

/** How the lens gets onto a node: as `code` of a state override, or created inside the call. */
export type LensRung = 'override' | 'deployless';

/** keccak256("truefill quote lens"), last 20 bytes: nobody's, and nothing a token would know. */
export const lensAddress = '0x87025e35067fdFDee331F27A16C534471dd56446';
/** An ordinary account, made the same way: hooks and fee modules may look at tx.origin, so it must be nobody in particular. */
export const asker = '0x502cae368B9c417C0580628747F8Ac9E193390E2';
/** Hosted nodes cap a call's gas at 25 to 50 million. Creation takes 4.9 million of it; the lens minds what is left. */
const gasLimits: Record<LensRung, number> = { override: 24_000_000, deployless: 24_900_000 };

const wordsAtLeast = 10;

/** What accounts look like for the time of a call. */
export type StateOverride = Record<Address, { code?: Hex; stateDiff?: Record<Hex, Hex> }>;

/** One question to the lens. `accounts` change the state it looks at, where the node's rung allows it. */
export interface LensAsk {
  data: Hex;
  /** A number in hex, or `latest`. */
  block: Hex | 'latest';
  accounts?: StateOverride;
}

function toLensCall(rung: LensRung, { data, block, accounts }: LensAsk): RpcCall {
  const gas = numberToHex(gasLimits[rung]);
  if (rung === 'override') {
    const override = { [lensAddress]: { code: quoteLensArtifact.runtime }, ...accounts };
    return { method: 'eth_call', params: [{ from: asker, to: lensAddress, gas, data }, block, override] };
  }
  const created = encodeDeployData({
    abi: parseAbi(['constructor(bytes, bytes)']),
    bytecode: deploylessCallViaBytecodeBytecode,
    args: [quoteLensArtifact.bytecode, data],
  });
  return { method: 'eth_call', params: [{ from: asker, gas, data: created }, block] };
}

/** Remembers, by node, which rung carries; a node that was not tested is tried with the override first. */
export function createLensCaller() {
  const rungs = new Map<string, LensRung>();

  async function readLenses(node: Node, asks: readonly LensAsk[], beside: readonly RpcCall[] = []) {
    const known = rungs.get(node.label);
    let refusal = '';
    for (const rung of known ? [known] : (['override', 'deployless'] as const)) {
      const replies = await node.send([...asks.map((ask) => toLensCall(rung, ask)), ...beside]);
      const answers = replies.slice(0, asks.length).flatMap((reply) => answerOf(reply) ?? []);
      if (answers.length === asks.length) {
        rungs.set(node.label, rung);
        return { answers, beside: replies.slice(asks.length), rung };
      }
      const refused = replies.find((reply) => answerOf(reply) === undefined);
      refusal += ` ${rung}: ${refused && 'error' in refused ? `${refused.error.code} ${refused.error.message}` : 'no answer'}.`;
    }
    throw new NodeRefusedError(`The node did not run the lens.${refusal}`);
  }

  return {
    /**
     * Asks the lens one or more questions at one node, and what else belongs into the same trip; one trip once the rung
     * is known. The lens never reverts, so an error there is the node's; one beside it is the caller's to judge.
     * @throws {NodeRefusedError | RpcTransportError}
     */
    readLenses,
    /** @throws {NodeRefusedError | RpcTransportError} */
    async readLens(node: Node, data: Hex, block: Hex | 'latest'): Promise<Hex> {
      const { answers } = await readLenses(node, [{ data, block }]);
      return answers[0] ?? '0x';
    },
  };
}

export type LensCaller = ReturnType<typeof createLensCaller>;

function answerOf(reply: RpcReply): Hex | undefined {
  if (!('result' in reply) || typeof reply.result !== 'string') return undefined;
  const { result } = reply;
  return result.startsWith('0x') && result.length >= 2 + 64 * wordsAtLeast ? (result as Hex) : undefined;
}
