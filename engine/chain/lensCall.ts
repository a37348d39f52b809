import { deploylessCallViaBytecodeBytecode, encodeDeployData, type Hex, numberToHex, parseAbi } from 'viem';
import { quoteLensArtifact } from '../../contracts/artifacts/lens/QuoteLens.ts';
import { type Node, NodeRefusedError } from './nodes.ts';
import type { RpcCall } from './rpcEndpoint.ts';

/** How the lens gets onto a node: as `code` of a state override, or created inside the call. */
export type LensRung = 'override' | 'deployless';

/** keccak256("truefill quote lens"), last 20 bytes: nobody's, and nothing a token would know. */
const lensAddress = '0x87025e35067fdFDee331F27A16C534471dd56446';
/** An ordinary account, made the same way: hooks and fee modules may look at tx.origin, so it must be nobody in particular. */
const asker = '0x502cae368B9c417C0580628747F8Ac9E193390E2';
/** Hosted nodes cap a call's gas at 25 to 50 million; creation adds 200 a byte of code. */
const gasLimits: Record<LensRung, number> = { override: 24_000_000, deployless: 29_500_000 };

const wordsAtLeast = 10;

/** Compiled code of a lens. */
export interface LensCode {
  bytecode: Hex;
  runtime: Hex;
}

/** The call of one rung. `block` is a number in hex, or `latest`. */
export function toLensCall(
  rung: LensRung,
  data: Hex,
  block: Hex | 'latest',
  lens: LensCode = quoteLensArtifact,
): RpcCall {
  const gas = numberToHex(gasLimits[rung]);
  if (rung === 'override') {
    const override = { [lensAddress]: { code: lens.runtime } };
    return { method: 'eth_call', params: [{ from: asker, to: lensAddress, gas, data }, block, override] };
  }
  const created = encodeDeployData({
    abi: parseAbi(['constructor(bytes, bytes)']),
    bytecode: deploylessCallViaBytecodeBytecode,
    args: [lens.bytecode, data],
  });
  return { method: 'eth_call', params: [{ from: asker, gas, data: created }, block] };
}

/** Remembers, by node, which rung carries; a node that was not tested is tried with the override first. */
export function createLensCaller() {
  const rungs = new Map<string, LensRung>();
  return {
    /**
     * Asks the lens at one node, in one trip once the rung is known. The lens never reverts, so an error here is the
     * node's.
     * @throws {NodeRefusedError | RpcTransportError}
     */
    async readLens(node: Node, data: Hex, block: Hex | 'latest'): Promise<Hex> {
      const known = rungs.get(node.label);
      let refusal = '';
      for (const rung of known ? [known] : (['override', 'deployless'] as const)) {
        const [reply] = await node.send([toLensCall(rung, data, block)]);
        if (reply && 'result' in reply && isAnswer(reply.result)) {
          rungs.set(node.label, rung);
          return reply.result;
        }
        refusal += ` ${rung}: ${reply && 'error' in reply ? `${reply.error.code} ${reply.error.message}` : 'no answer'}.`;
      }
      throw new NodeRefusedError(`The node did not run the lens.${refusal}`);
    },
    /** The rung that carries at a node; one that was not tested is tried with the override. */
    rungOf: (node: Pick<Node, 'label'>): LensRung => rungs.get(node.label) ?? 'override',
  };
}

export type LensCaller = ReturnType<typeof createLensCaller>;

function isAnswer(result: unknown): result is Hex {
  return typeof result === 'string' && result.startsWith('0x') && result.length >= 2 + 64 * wordsAtLeast;
}
