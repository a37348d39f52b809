import {
  type Address,
  deploylessCallViaBytecodeBytecode,
  encodeDeployData,
  type Hex,
  numberToHex,
  parseAbi,
} from 'viem';
import { quoteLensArtifact } from '../../contracts/artifacts/lens/QuoteLens.ts';
import { BlockGoneError, type Node, NodeRefusedError } from './node.ts';
import { pinBlock, type SeenBlock, sendWithHeader } from './pinBlock.ts';
import { type LensCode, placedCall, placeOf, readPlaced, runnerOf } from './placedLens.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

/** How the lens gets onto a node: as `code` of a state override, or created inside the call. */
type LensRung = 'override' | 'deployless';

/** The node answers, and neither rung carries there. */
export class LensRefusedError extends NodeRefusedError {
  override readonly name = 'LensRefusedError';
}

/** keccak256("truefill quote lens"), last 20 bytes: nobody's, and nothing a token would know. */
export const lensAddress = '0x87025e35067fdFDee331F27A16C534471dd56446';
/** An ordinary account, made the same way: hooks and fee modules may look at tx.origin, so it must be nobody in particular. */
export const asker = '0x502cae368B9c417C0580628747F8Ac9E193390E2';
/** Hosted nodes cap a call's gas at 25 to 50 million; creation takes its part, 200 a byte of code. */
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
  /** Another lens than that of quotes. */
  lens?: LensCode;
}

/** The call at the rung that carries at a node, for those who put it into a batch of their own. */
export function toLensCall({ memory }: Pick<Node, 'memory'>, ask: LensAsk): RpcCall {
  return toCallAt(rungOf({ memory }), ask, memory.placed);
}

function toCallAt(
  rung: LensRung,
  { data, block, accounts, lens = quoteLensArtifact }: LensAsk,
  placed: ReadonlySet<LensCode>,
): RpcCall {
  const gas = numberToHex(gasLimits[rung]);
  if (rung === 'override') {
    // At one address in either case, so that whoever is asked meets the same caller.
    const code = placed.has(lens) ? runnerCode(lens) : lens.runtime;
    const override = { [lensAddress]: { code }, ...accounts };
    return { method: 'eth_call', params: [{ from: asker, to: lensAddress, gas, data }, block, override] };
  }
  const created = encodeDeployData({
    abi: parseAbi(['constructor(bytes, bytes)']),
    bytecode: deploylessCallViaBytecodeBytecode,
    args: [lens.bytecode, data],
  });
  return { method: 'eth_call', params: [{ from: asker, gas, data: created }, block] };
}

const runnerCodes = new WeakMap<LensCode, Hex>();

function runnerCode(lens: LensCode): Hex {
  const code = runnerCodes.get(lens) ?? runnerOf(placeOf(lens));
  runnerCodes.set(lens, code);
  return code;
}

/** The rung that carries at a node; one that was not tested is tried with the override. */
export function rungOf({ memory }: Pick<Node, 'memory'>): LensRung {
  return memory.rung === 'deployless' ? 'deployless' : 'override';
}

/**
 * Asks the lens; which rung carries is remembered with the node, and one that was not tested gets the override first.
 * @param lenses those that a chain may hold
 */
export function createLensCaller(lenses: readonly LensCode[] = []) {
  async function readLenses(
    node: Node,
    asks: readonly LensAsk[],
    beside: readonly RpcCall[] = [],
  ): Promise<{ answers: Hex[]; beside: RpcReply[]; rung: LensRung }> {
    const block = asks[0]?.block ?? 'latest';
    const known = node.memory.rung === 'quoters' ? undefined : node.memory.rung;
    let refusal = '';
    for (const rung of known ? [known] : (['override', 'deployless'] as const)) {
      const calls = [...asks.map((ask) => toCallAt(rung, ask, node.memory.placed)), ...beside];
      const { header, replies } = await sendWithHeader(node, block, calls);
      const answers = replies.slice(0, asks.length).flatMap((reply) => answerOf(reply) ?? []);
      if (answers.length === asks.length) {
        for (const answer of answers) await pinBlock(node, header, blockOf(answer), block);
        node.memory.rung = rung;
        return { answers, beside: replies.slice(asks.length), rung };
      }
      const refused = replies.find((reply) => answerOf(reply) === undefined);
      if (node.memory.placed.size > 0 && refused && 'result' in refused) {
        // Gone with a block, or never there: the code is sent along again.
        node.memory.placed = new Set();
        return readLenses(node, asks, beside);
      }
      judgeRefusal(node, refused, block, known !== undefined);
      refusal += ` ${rung}: ${refused && 'error' in refused ? `${refused.error.code} ${refused.error.message}` : 'no answer'}.`;
    }
    throw new LensRefusedError(`The node did not run the lens.${refusal}`);
  }

  return {
    /**
     * Asks the lens one or more questions at one node and one block, and what else belongs into the same trip; one
     * trip once the rung is known. The lens never reverts, so an error there is the node's; one beside it is the
     * caller's to judge. The block is verified and pinned on the node.
     * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
     */
    readLenses,
    /**
     * The self-test: finds the rung that carries, and which lenses need not be sent along.
     * @param data the shortest question
     * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
     */
    async test(node: Node, data: Hex): Promise<void> {
      const { beside, rung } = await readLenses(node, [{ data, block: 'latest' }], [placedCall(lenses, lensAddress)]);
      if (rung === 'override') node.memory.placed = readPlaced(lenses, beside[0]);
    },
  };
}

export type LensCaller = ReturnType<typeof createLensCaller>;

const blockMissing =
  /header not found|unknown block|missing trie node|block not found|pruned|historical state|state.*not available/i;
const tooMany = /rate.?limit|too many requests|quota|capacity|compute units/i;

/** Errors that say nothing about the rung: the block is gone, or the node wants to be left alone. */
function judgeRefusal(node: Node, refused: RpcReply | undefined, block: Hex | 'latest', rungKnown: boolean): void {
  if (!refused || !('error' in refused)) return;
  const { code, message } = refused.error;
  if (blockMissing.test(message) || (block !== 'latest' && rungKnown)) {
    throw new BlockGoneError(`${node.label} could not read block ${block}: ${code} ${message}`);
  }
  if (code === 429 || code === -32005 || tooMany.test(message)) {
    throw new NodeRefusedError(`${node.label} limits requests: ${code} ${message}`);
  }
}

function answerOf(reply: RpcReply): Hex | undefined {
  if (!('result' in reply) || typeof reply.result !== 'string') return undefined;
  const { result } = reply;
  return result.length >= 2 + 64 * wordsAtLeast && /^0x[0-9a-f]*$/i.test(result) ? (result as Hex) : undefined;
}

/** Words 2, 3 and 4 of the lens's answer; see `_writeBlock` there. */
function blockOf(answer: Hex): SeenBlock {
  const word = (index: number): Hex => `0x${answer.slice(2 + 64 * index, 2 + 64 * (index + 1))}`;
  const parentHash = word(4);
  return {
    number: BigInt(word(2)),
    timestamp: BigInt(word(3)),
    parentHash: BigInt(parentHash) === 0n ? undefined : parentHash,
  };
}
