import { createPublicClient, erc20Abi, http, parseUnits } from 'viem';
import { nativeCoin } from '../chains/index.ts';
import type { ExpectedTrade } from '../trade/assertExpected.ts';
import { TransactionFailedError } from '../trade/errors.ts';
import { assertChain, hasExecutor } from '../trade/executorCode.ts';
import { isSameAddress } from '../trade/plan.ts';
import { missingApprovals, sendSwap, simulateSwap } from '../trade/swap.ts';
import { type Approval, type SwapTransaction, toTransaction } from '../trade/toTransaction.ts';
import { createRpc } from '../verify/rpc.ts';
import type { Quote } from '../wire.ts';
import type { Command } from './commandLine.ts';
import { describeFailure } from './describeFailure.ts';
import { exitCodes } from './exitCodes.ts';
import { findSender } from './findSender.ts';
import type { Lines } from './progressLine.ts';
import { readQuote } from './runVerify.ts';
import { sanitize } from './sanitize.ts';
import { table } from './tables.ts';

/**
 * Builds the transaction of a stored quote, simulates it on the user's node, and sends it with --send. It uses the executor
 * where the node's chain has it.
 * @returns the exit code
 * @throws {UsageError | NoSingleTransactionError | TransactionFailedError | VerificationError}
 */
export async function runSwap(
  command: Command & { name: 'swap' },
  { stdout, stderr, env }: { stdout: Lines; stderr: Lines; env: Record<string, string | undefined> },
): Promise<number> {
  const { file, rpcUrl, privateRpcUrl, slippageBps, from, send, options } = command;
  const account = from ?? findSender(env);
  const taker = typeof account === 'string' ? account : account.address;
  const quote = await readQuote(file);
  await describeFailure(assertChain(createRpc(rpcUrl, fetch), quote.chain));
  const via =
    command.via ?? ((await describeFailure(hasExecutor({ chain: quote.chain, rpcUrl }))) ? 'executor' : 'router');
  const expected = command.expected && (await describeFailure(toExpected(command.expected, quote, rpcUrl)));
  const transaction = toTransaction(quote, { taker, slippageBps, via, ...(expected && { expected }) });
  const missing = await describeFailure(missingApprovals({ rpcUrl }, taker, transaction));
  const fault = await describeFailure(simulateSwap({ rpcUrl }, taker, transaction, missing));
  const shown = { via, simulation: fault ?? 'succeeds', ...transaction, approvals: missing };
  if (!send || typeof account === 'string' || fault !== undefined) {
    stdout.write(`${options.json ? toJson(shown) : show(quote, shown)}\n`);
    if (fault === undefined) return exitCodes.answered;
    throw new TransactionFailedError(`The simulation failed: ${fault.slice(0, 200)}. Nothing was sent.`);
  }
  stderr.write(
    `${show(quote, shown)}\nSending ${missing.length} approval${missing.length === 1 ? '' : 's'} and the swap.\n`,
  );
  const nodes = { chain: quote.chain, rpcUrl, privateRpcUrl, account };
  const hash = await describeFailure(
    sendSwap(nodes, transaction, missing, (sent, name) =>
      stderr.write(`${name} sent: transaction ${sanitize(sent)}\n`),
    ),
  );
  stdout.write(`${options.json ? toJson({ ...shown, hash }) : `swap mined: transaction ${hash}`}\n`);
  return exitCodes.answered;
}

/** In base units, by the decimals that the user's node reads: those of the quote come from the service. */
async function toExpected(
  { size, ...trade }: NonNullable<(Command & { name: 'swap' })['expected']>,
  quote: Pick<Quote, 'chain'>,
  rpcUrl: string,
): Promise<ExpectedTrade> {
  // The node serves the quote's chain, so it has no token of another one; `toTransaction` refuses the quote.
  if (trade.chain !== quote.chain) return { ...trade, maxAmountIn: 0n };
  const client = createPublicClient({ transport: http(rpcUrl) });
  const call = { address: trade.tokenIn, abi: erc20Abi, functionName: 'decimals' } as const;
  const decimals = isSameAddress(trade.tokenIn, nativeCoin) ? 18 : await client.readContract(call);
  return { ...trade, maxAmountIn: parseUnits(size, decimals) };
}

type Shown = SwapTransaction & { via: string; simulation: string; approvals: Approval[] };

function show(quote: Quote, { via, simulation, to, value, minAmountOut, approvals, data }: Shown): string {
  const rows = table([
    ['chain', quote.chain],
    ['quoted', new Date(quote.ts).toISOString()],
    ['to', `${to} (${via})`],
    ['value', `${value}`],
    ['sells', `${quote.amountIn} of ${quote.tokenIn}`],
    ['receives', `at least ${minAmountOut} of ${quote.tokenOut}`],
    ...approvals.map(({ spender, amount }) => ['approval', `${amount} for ${spender}`] as const),
    ['simulation', simulation.slice(0, 200)],
  ]);
  const lines = `amounts in base units\n\n${rows}\n\ndata ${data}`.split('\n');
  return lines.map((line) => sanitize(line, 200_000)).join('\n');
}

const toJson = (shown: object) =>
  JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? value.toString() : value), 2);
