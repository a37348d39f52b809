import { type Address, bytesToHex, type Hex, numberToHex } from 'viem';
import { planLensArtifact } from '../../contracts/artifacts/lens/PlanLens.ts';
import { chainFacts } from '../chains/index.ts';
import { VerificationError } from '../trade/errors.ts';
import { findExecutor } from '../trade/executorCode.ts';
import { toPlan } from '../trade/plan.ts';
import { routersOf } from '../trade/routers.ts';
import { isProvenByExecutor } from '../trade/toTransaction.ts';
import type { Quote } from '../wire.ts';
import { decodeExecution, type Execution, encodeExecution } from './executionCall.ts';
import { fundPayer } from './fundPayer.ts';
import { createRpc, NodeError, type Rpc } from './rpc.ts';

export interface VerifyOptions {
  /** URL of your own node of the quote's chain. It needs the quote's block, state overrides and eth_createAccessList. */
  rpcUrl: string;
  fetch?: typeof globalThis.fetch;
}

/** The quoted amount and the amount executed on your node at the same block, in base units of tokenOut. */
export interface Verification {
  blockNumber: bigint;
  claimed: bigint;
  /** 0 if the legs could not be executed; `outcome` contains the reason. */
  executed: bigint;
  /** executed - claimed: 0 for an exact quote. */
  difference: bigint;
  /** `executed`, or the failure and the leg at which it happened. */
  outcome: string;
  legs: { claimed: bigint; executed: bigint }[];
}

const gas = 24_000_000n;

/**
 * Executes a quote's legs at its block in one eth_call on your own node. State overrides give a test account the tokenIn
 * to sell. Sends no transaction.
 * @throws {VerificationError} the quote has no route, or the node cannot execute it; the quote may still be correct
 */
export async function verify(quote: Quote, { rpcUrl, fetch = globalThis.fetch }: VerifyOptions): Promise<Verification> {
  const plan = toPlan(quote);
  if (plan.legs.length === 0) throw new VerificationError('no-route', 'The quote has no route to execute.');
  const chain = routersOf(quote.chain);
  const rpc = createRpc(rpcUrl, fetch);
  const block = numberToHex(BigInt(quote.blockNumber));
  const baseFee = await readBaseFee(rpc, block, chainFacts[quote.chain].chainId);
  const payer = randomAddress();
  await assertState(rpc, block, payer);
  await assertOverrides(rpc, block);
  // The contract that the transaction calls. Elsewhere the same code without its payments, at a random address.
  const executor = isProvenByExecutor(quote)
    ? await findExecutor(rpc, block).catch(
        rethrowAs('not-executed', 'The node did not return the code of the executor'),
      )
    : undefined;
  const lens = executor ?? randomAddress();

  const accounts = await fundPayer({
    rpc,
    block,
    token: plan.tokenIn,
    payer,
    spender: lens,
    amount: plan.amountIn,
  });
  const maxFeePerGas = baseFee * 2n + 1_000_000_000n;
  const call = {
    from: payer,
    to: lens,
    gas: numberToHex(gas),
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: '0x0',
    data: encodeExecution(plan, chain, payer),
  };
  const override = {
    ...accounts,
    ...(!executor && { [lens]: { code: planLensArtifact.runtime } }),
    [payer]: { balance: numberToHex(2n * gas * maxFeePerGas) },
  };
  const words = await rpc<Hex>('eth_call', [call, block, override]).catch(
    rethrowAs('not-executed', 'The node did not execute the legs'),
  );
  const execution = decodeExecution(words, plan.legs.length);
  if (!execution) throw new VerificationError('not-executed', 'The node returned no result of the execution.');
  return compare(quote, execution);
}

function compare(
  { amountOut, blockNumber, route }: Quote,
  { status, endedAt, received, legs }: Execution,
): Verification {
  const claimed = BigInt(amountOut);
  const executed = status === 'executed' ? received : 0n;
  return {
    blockNumber: BigInt(blockNumber),
    claimed,
    executed,
    difference: executed - claimed,
    outcome: status === 'executed' ? status : `${status} at leg ${endedAt + 1} of ${legs.length}`,
    legs: route.legs.map((leg, index) => ({ claimed: BigInt(leg.amountOut), executed: legs[index]?.amountOut ?? 0n })),
  };
}

async function readBaseFee(rpc: Rpc, block: Hex, chainId: number): Promise<bigint> {
  const served = BigInt(
    await rpc<Hex>('eth_chainId', []).catch(rethrowAs('unreachable', 'The node did not return its chain id')),
  );
  if (served !== BigInt(chainId)) {
    throw new VerificationError(
      'wrong-chain',
      `The node serves chain ${served}, but the quote is for chain ${chainId}.`,
    );
  }
  const missing = (reason: string) => `The node does not have block ${BigInt(block)}: ${reason}`;
  const header = await rpc<{ baseFeePerGas?: Hex } | null>('eth_getBlockByNumber', [block, false]).catch(
    rethrowAs('no-block', missing('it returned an error')),
  );
  if (header) return BigInt(header.baseFeePerGas ?? '0x0');
  const latest = BigInt(
    await rpc<Hex>('eth_blockNumber', []).catch(rethrowAs('no-block', missing('it returned an error'))),
  );
  throw new VerificationError('no-block', missing(`its latest block is ${latest}.`));
}

async function assertState(rpc: Rpc, block: Hex, account: Address): Promise<void> {
  const message = `The node no longer has the state of block ${BigInt(block)}; use an archive node`;
  await rpc('eth_getBalance', [account, block]).catch(rethrowAs('no-state', message));
}

/** PUSH1 42, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN */
const returns42: Hex = '0x602a60005260206000f3';

async function assertOverrides(rpc: Rpc, block: Hex): Promise<void> {
  const to = randomAddress();
  const message = 'The node does not support state overrides in eth_call, which verification requires';
  const read = await rpc<Hex>('eth_call', [{ to, data: '0x' }, block, { [to]: { code: returns42 } }]).catch(
    rethrowAs('no-overrides', message),
  );
  if (read === '0x' || BigInt(read) !== 42n) throw new VerificationError('no-overrides', `${message}.`);
}

/** Returns a `catch` handler that converts a node's error to a VerificationError with the node's message. */
function rethrowAs(fault: ConstructorParameters<typeof VerificationError>[0], message: string) {
  return (cause: unknown): never => {
    if (!(cause instanceof NodeError)) throw cause;
    throw new VerificationError(fault, `${message}: ${cause.message}.`, { cause });
  };
}

const randomAddress = (): Address => bytesToHex(crypto.getRandomValues(new Uint8Array(20)));
