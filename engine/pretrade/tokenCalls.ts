import { type Hex, isHex } from 'viem';
import { exitHopsArtifact } from '../../contracts/artifacts/lens/ExitHops.ts';
import { exitLensArtifact } from '../../contracts/artifacts/lens/ExitLens.ts';
import { fillLensArtifact } from '../../contracts/artifacts/lens/FillLens.ts';
import { plainRecheckLensArtifact } from '../../contracts/artifacts/lens/PlainRecheckLens.ts';
import { recheckLensArtifact } from '../../contracts/artifacts/lens/RecheckLens.ts';
import { resultOf } from '../chain/batch.ts';
import { randomNumber, toLensCall } from '../chain/lensCall.ts';
import { isOverrun, LensOverrunError, type Node, NodeRefusedError } from '../chain/node.ts';
import type { RpcReply } from '../chain/rpcEndpoint.ts';
import { LensAnswerError } from '../chain/wordReader.ts';
import type { LowerAddress } from '../lowerAddress.ts';
import { getters } from './bytecode/signatures.ts';
import { encodeExit } from './exit/encodeExit.ts';
import { encodeRecheck, type RecheckQuery } from './exit/encodeRecheck.ts';
import type { LoggedPool } from './exit/exitTypes.ts';
import type { PretradeEnvironment } from './tokenReading.ts';

const saltBytes = 32;
const { runtime } = fillLensArtifact;
const exitLens = { runtime, parts: [exitLensArtifact, exitHopsArtifact] };
/** For the whole price range. Reads no second hops. */
const wholeExitLens = { runtime, parts: [exitLensArtifact] };

export function toExitCall(
  { exitConfig, holders }: PretradeEnvironment,
  node: Node,
  token: LowerAddress,
  known: readonly LoggedPool[],
  block: Hex | 'latest',
) {
  const query = {
    whole: false,
    token,
    known,
    holders: holders.map(({ address }) => address),
    getters: getters.map(({ selector }) => selector),
  };
  return toLensCall(node, { data: encodeExit(exitConfig, query, randomNumber(saltBytes)), block, lens: exitLens });
}

/** Measures these pools of a token alone, without a search for others. */
export function toPoolsCall(
  { poolsConfig }: PretradeEnvironment,
  node: Node,
  {
    token,
    known,
    block,
    whole = false,
  }: { token: LowerAddress; known: readonly Omit<LoggedPool, 'venue'>[]; block: Hex; whole?: boolean },
) {
  const data = encodeExit(poolsConfig, { whole, token, known, holders: [], getters: [] }, randomNumber(saltBytes));
  return toLensCall(node, { data, block, lens: whole ? wholeExitLens : exitLens });
}

export function toRecheckCall({ data }: PretradeEnvironment, node: Node, query: RecheckQuery) {
  const { data: call, isPlain } = encodeRecheck(query, data, randomNumber(saltBytes));
  const lens = isPlain ? plainRecheckLensArtifact : recheckLensArtifact;
  return toLensCall(node, { data: call, block: 'latest', lens });
}

/** @throws {NodeRefusedError} the lens never reverts, so an error is the node's */
export function toExit<T>(reply: RpcReply | undefined, decode: (words: Hex) => T): T {
  const result = resultOf(reply);
  if (!isHex(result)) {
    const why = reply && 'error' in reply ? `${reply.error.code} ${reply.error.message}` : 'no answer';
    if (isOverrun(why)) throw new LensOverrunError(`The node did not finish the exit lens: ${why}.`);
    throw new NodeRefusedError(`The node did not run the exit lens: ${why}.`);
  }
  try {
    return decode(result);
  } catch (cause) {
    if (!(cause instanceof LensAnswerError)) throw cause;
    throw new NodeRefusedError('The node returned malformed data for the exit lens.', { cause });
  }
}
