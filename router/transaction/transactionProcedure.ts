import {
  type BuiltTransaction,
  buildTransaction,
  type ChainName,
  type DeploymentState,
  deployments,
  type Engine,
  type TransactionOrder,
  TransactionOrderError,
  toLowerAddress,
} from '../../engine/index.ts';
import { RequestError } from '../errors/requestError.ts';
import { toChainName } from '../quote/chainField.ts';
import { t } from '../trpc.ts';
import { type TransactionInput, transactionExampleRequest, transactionInput } from './transactionInput.ts';
import { type TransactionOutput, transactionOutput } from './transactionOutput.ts';

/** The transaction of a quote. Free: it encodes its input and sends no request. */
export const transactionProcedure = t.procedure
  .meta({
    openapi: {
      method: 'POST',
      path: '/v1/quote/transaction',
      operationId: 'buildTransaction',
      summary: 'The transaction that executes a quote, free',
      description:
        'Encodes a quote as one transaction of the executor, with exact approvals. It reads no chain: simulate the transaction before you send it. ' +
        'A pool is refused if its address does not match the formula of its factory. Pools without a formula are listed in `warnings`. ' +
        'A quote with the flag ROUTER_DEPENDENT is refused: a token of its route refuses the executor.',
      tags: ['free'],
      successDescription: 'The transaction.',
      protect: false,
    },
    free: {
      exampleRequest: transactionExampleRequest,
      exampleAnswer: toOutput(exampleTransaction()),
    },
  })
  .input(transactionInput)
  .output(transactionOutput)
  .mutation(({ input, ctx: { engine } }) => {
    const chain = toChainName(input.chain);
    assertExecutor(chain, engine);
    try {
      return toOutput(engine.buildTransaction(chain, toOrder(input)));
    } catch (error) {
      if (!(error instanceof TransactionOrderError)) throw error;
      throw new RequestError('INVALID_REQUEST', `${error.path}: ${error.message} This call is free.`, {
        issues: [{ path: error.path, message: error.message }],
        exampleRequest: transactionExampleRequest,
        cause: error,
      });
    }
  });

/** With addresses in lower case: viem encodes no address whose mixed case is not its checksum. */
function toOrder({
  amountIn,
  amountOut,
  deadline,
  route,
  slippageBps,
  flags = [],
  ...accounts
}: Omit<TransactionInput, 'chain'>): TransactionOrder {
  return {
    slippageBps,
    isRouterDependent: flags.some(({ code }) => code === 'ROUTER_DEPENDENT'),
    tokenIn: toLowerAddress(accounts.tokenIn),
    tokenOut: toLowerAddress(accounts.tokenOut),
    receiver: toLowerAddress(accounts.receiver),
    amountIn: BigInt(amountIn),
    amountOut: BigInt(amountOut),
    deadline: BigInt(deadline),
    legs: route.legs.map(({ dex, venue, pool, tokenIn, tokenOut, feePips, shareBps, poolKey }) => ({
      ...{ dex, venue, feePips, shareBps },
      pool: toLowerAddress(pool),
      tokenIn: toLowerAddress(tokenIn),
      tokenOut: toLowerAddress(tokenOut),
      ...(poolKey && {
        poolKey: {
          ...poolKey,
          currency0: toLowerAddress(poolKey.currency0),
          currency1: toLowerAddress(poolKey.currency1),
          hooks: toLowerAddress(poolKey.hooks),
        },
      }),
    })),
  };
}

function toOutput(built: BuiltTransaction): TransactionOutput {
  const { approvals, minAmountOut, value } = built;
  return {
    ...built,
    value: String(value),
    minAmountOut: String(minAmountOut),
    approvals: approvals.map((approval) => ({ ...approval, amount: String(approval.amount) })),
  };
}

/** @throws {RequestError} UNSUPPORTED_CHAIN */
function assertExecutor(chain: ChainName, engine: Pick<Engine, 'chains' | 'executorState'>): void {
  if (!engine.chains.includes(chain))
    throw new RequestError(
      'UNSUPPORTED_CHAIN',
      `This deployment does not serve ${chain}. This call is free. It serves: ${engine.chains.join(', ')}.`,
    );
  const state = engine.executorState(chain);
  if (state !== 'deployed') throw new RequestError('UNSUPPORTED_CHAIN', `${reasons[state](chain)} This call is free.`);
}

const reasons: Record<Exclude<DeploymentState, 'deployed'>, (chain: ChainName) => string> = {
  missing: (chain) =>
    `The executor is not deployed on ${chain}. Deploy it with: truefill executor deploy --chain ${chain} --rpc <url>. This service sees it within a minute.`,
  unread: (chain) =>
    `No RPC node of ${chain} has returned the executor's code yet, or none returns it any more. Try again in a minute, or deploy it with: truefill executor deploy --chain ${chain} --rpc <url>.`,
  withdrawn: () =>
    'This version of the executor is withdrawn. Use a published router: toTransaction of truefill-client.',
};

/** The transaction of the example request, by the same code. */
function exampleTransaction(): BuiltTransaction {
  const { venues, wrappedNative, chainId } = deployments.base;
  const facts = { chain: 'base', venues, wrappedNative, chainId, standIns: new Set<string>(), now: 0 } as const;
  const isRefused = () => false;
  const { chain: _, ...request } = transactionInput.parse(transactionExampleRequest);
  return buildTransaction(toOrder(request), { ...facts, isRefused });
}
