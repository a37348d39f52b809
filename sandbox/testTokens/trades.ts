import { type Address, encodeFunctionData, erc20Abi, maxUint256, parseAbi } from 'viem';
import { routeExecutorArtifact } from '../../contracts/artifacts/sandbox/RouteExecutor.ts';
import { singletonVaultArtifact } from '../../contracts/artifacts/testTokens/SingletonVault.ts';
import type { SwapKind } from '../chainPlan.ts';
import { encodeLegs } from '../execution/encodeLegs.ts';
import type { SandboxChain } from '../sandboxTypes.ts';
import type { Transaction } from './sendTransactions.ts';
import type { TestToken, TestTokenPool } from './testTokenTypes.ts';

const routerAbi = parseAbi([
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 least, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amount, uint256 least, address[] path, address to, uint256 deadline)',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amount, uint256 least, address[] path, address to, uint256 deadline)',
]);

export interface TradeEnvironment {
  chain: SandboxChain;
  kinds: ReadonlyMap<string, SwapKind>;
  router: Address;
}

/** The transactions that trade in one pool, for any wallet. Amounts in base units. */
export interface Exchange {
  /** The account to approve for the token and for the counter-asset. */
  spender: Address;
  /** Purchases are paid in ether, so the wallet needs no counter-asset. */
  paysEther: boolean;
  /** The account that holds the pool's tokens: the pool or a singleton. */
  holder: Address;
  buy(amount: bigint, trader: Address): Transaction;
  sell(amount: bigint, trader: Address): Transaction;
  /** Sells for the counter-asset itself, never for ether. */
  dump(amount: bigint, trader: Address): Transaction;
}

/** Trades through Uniswap's router in v2 pairs, and through the sandbox's executor in other pools. */
export function openExchange({ address }: TestToken, pool: TestTokenPool, environment: TradeEnvironment): Exchange {
  if (pool.venue === 'vault') return vaultExchange(address, pool);
  if (pool.venue === 'uniswap-v2') return routerExchange(address, pool, environment);
  return executorExchange(address, pool, environment);
}

/** An unlimited approval. */
export function approval(token: Address, spender: Address): Transaction {
  return {
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, maxUint256] }),
  };
}

function routerExchange(
  token: Address,
  { counter, pool }: TestTokenPool,
  { chain, router }: TradeEnvironment,
): Exchange {
  const paysEther = counter === chain.wrappedNative;
  const forTokens = (amount: bigint, path: Address[], trader: Address): Transaction => ({
    to: router,
    data: encodeFunctionData({
      abi: routerAbi,
      functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
      args: [amount, 0n, path, trader, maxUint256],
    }),
  });
  const dump: Exchange['dump'] = (amount, trader) => forTokens(amount, [token, counter], trader);
  if (!paysEther) {
    const buy: Exchange['buy'] = (amount, trader) => forTokens(amount, [counter, token], trader);
    return { spender: router, paysEther, holder: pool, buy, sell: dump, dump };
  }
  return {
    spender: router,
    paysEther,
    holder: pool,
    dump,
    buy: (value, trader) => ({
      to: router,
      value,
      data: encodeFunctionData({
        abi: routerAbi,
        functionName: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
        args: [0n, [counter, token], trader, maxUint256],
      }),
    }),
    sell: (amount, trader) => ({
      to: router,
      data: encodeFunctionData({
        abi: routerAbi,
        functionName: 'swapExactTokensForETHSupportingFeeOnTransferTokens',
        args: [amount, 0n, [token, counter], trader, maxUint256],
      }),
    }),
  };
}

function executorExchange(token: Address, pool: TestTokenPool, { chain, kinds }: TradeEnvironment): Exchange {
  const { venue, pool: address, counter } = pool;
  const known = { ...chain, pools: [...chain.pools, pool] };
  const swap = (tokenIn: Address, tokenOut: Address, amount: bigint, trader: Address): Transaction => {
    const legs = encodeLegs(known, kinds, [{ venue, pool: address, tokenIn, tokenOut }]);
    const { abi } = routeExecutorArtifact;
    return {
      to: chain.executor,
      data: encodeFunctionData({ abi, functionName: 'execute', args: [legs, amount, trader] }),
    };
  };
  const kind = kinds.get(venue);
  const sell: Exchange['sell'] = (amount, trader) => swap(token, counter, amount, trader);
  return {
    spender: chain.executor,
    paysEther: false,
    holder: kind?.kind === 'v4' ? kind.manager : address,
    buy: (amount, trader) => swap(counter, token, amount, trader),
    sell,
    dump: sell,
  };
}

function vaultExchange(token: Address, { pool: vault }: TestTokenPool): Exchange {
  const { abi } = singletonVaultArtifact;
  const sell = (amount: bigint): Transaction => ({
    to: vault,
    data: encodeFunctionData({ abi, functionName: 'sell', args: [token, amount] }),
  });
  return {
    spender: vault,
    paysEther: true,
    holder: vault,
    buy: (value) => ({ to: vault, value, data: encodeFunctionData({ abi, functionName: 'buy', args: [token] }) }),
    sell,
    dump: sell,
  };
}
