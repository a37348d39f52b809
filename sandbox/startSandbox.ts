import { numberToHex } from 'viem';
import { buildChain } from './buildChain.ts';
import { planChain } from './chains/planChain.ts';
import { startingNative } from './market/stockWallets.ts';
import { mineEvery } from './process/mineEvery.ts';
import { type NodeToStart, startNodes } from './process/startNodes.ts';
import { createNodeClient } from './rpc/nodeClient.ts';
import type { SandboxChainName, SandboxPool } from './sandboxPool.ts';
import type { Sandbox, SandboxChain } from './sandboxTypes.ts';
import { startSolana } from './solana/startSolana.ts';
import type { DeploymentTools } from './testTokens/deployTestTokens.ts';
import type { TestTokens, TokenDefinition } from './testTokens/testTokenTypes.ts';
import { mainnetUsdcName, sandboxUsdcName } from './tokens/usdc.ts';
import { sandboxWallets } from './wallets.ts';

export interface SandboxOptions {
  /** Default: all three. */
  chains?: readonly SandboxChainName[];
  /** Starts the local Solana. Default: true unless `chains` is set. */
  solana?: boolean;
  /**
   * Milliseconds between the blocks of a chain, such as `liveBlockMs`. Default: each transaction is mined at once in its own
   * block, and an idle chain does nothing.
   */
  blockMs?: Partial<Record<SandboxChainName, number>>;
  /**
   * Adds the test tokens to Base: one for each kind of trap, with its ground truth. A list replaces the default tokens.
   */
  testTokens?: boolean | readonly TokenDefinition[];
  /**
   * Gives USDC its mainnet EIP-712 name, for a service in live mode. Signatures are then valid on mainnet too: use
   * empty wallets.
   */
  mainnetUsdc?: boolean;
}

/** Milliseconds between blocks on the chains themselves, November 2026 (docs/design/block-time.md). */
export const liveBlockMs: Record<SandboxChainName, number> = { base: 200, polygon: 1_500, arbitrum: 250 };

/** Algebra v1 was published unoptimised (60 kB pool). Base keeps the real limit, so that an oversized lens fails. */
const algebraCodeSize = 65_536;

const nodesToStart: Record<SandboxChainName, NodeToStart> = {
  base: { name: 'base', chainId: 8453 },
  polygon: { name: 'polygon', chainId: 137, codeSizeLimit: algebraCodeSize },
  arbitrum: { name: 'arbitrum', chainId: 42161, codeSizeLimit: algebraCodeSize },
};

/**
 * Starts the sandbox: chains with published venue contracts at their canonical addresses, USDC, a seeded market and
 * funded wallets. The chains end with `close` and when this process ends for any reason.
 * @throws {NodeStartError | AnvilMissingError}
 * @example
 * const sandbox = await startSandbox({ chains: ['base'] });
 * const { rpcUrl, pools } = sandbox.chains.base;
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const names = options.chains ?? (Object.keys(nodesToStart) as SandboxChainName[]);
  const wallets = sandboxWallets();
  const usdcName = options.mainnetUsdc ? mainnetUsdcName : sandboxUsdcName;
  const { blockMs = {} } = options;
  const starting = startNodes(
    names.map((name) => ({ ...nodesToStart[name], ...(blockMs[name] !== undefined && { keptStates: 128 }) })),
  );
  // Read packages and encode plans while the nodes start.
  const plans = await Promise.all(names.map((name) => planChain(name))).catch(async (cause) => {
    await starting.then((nodes) => nodes.close());
    throw cause;
  });
  const nodes = await starting;
  const mining: Sandbox['mining'] = {};
  let testTokens: TestTokens | undefined;
  try {
    const chains = await Promise.all(
      plans.map(async (plan): Promise<SandboxChain> => {
        const address = nodes.byName.get(plan.name);
        if (!address) throw new TypeError(`No node was started for ${plan.name}.`);
        const node = createNodeClient(address.rpcUrl);
        await node.batch(
          wallets.map((wallet) => ({
            method: 'anvil_setBalance',
            params: [wallet.address, numberToHex(startingNative(wallet.role))],
          })),
        );
        const chain = await buildChain(plan, node, wallets, usdcName);
        if (options.testTokens && plan.name === 'base')
          testTokens = await addTestTokens(chain, {
            node,
            plan,
            ...(options.testTokens !== true && { tokens: options.testTokens }),
          });
        await node.call('anvil_setLoggingEnabled', [false]);
        const interval = blockMs[plan.name];
        if (interval === undefined) await node.call('evm_setAutomine', [true]);
        else mining[plan.name] = mineEvery(node, interval);
        return chain;
      }),
    );
    const byName = Object.fromEntries(chains.map((chain) => [chain.name, chain]));
    const solana = (options.solana ?? !options.chains) ? await startSolana() : undefined;
    return {
      chains: byName,
      mining,
      wallets,
      ...(testTokens && { testTokens }),
      ...(solana && { solana }),
      async close() {
        for (const chain of Object.values(mining)) await chain.pause();
        await solana?.close();
        await nodes.close();
      },
    };
  } catch (cause) {
    // The first fault is the one to report, not that of a block on a chain that was stopped.
    await Promise.allSettled(Object.values(mining).map((chain) => chain.pause()));
    await nodes.close();
    throw cause;
  }
}

/** Adds the test tokens to the chain's tokens and pools. Imports them on demand, because their code is large. */
async function addTestTokens(chain: SandboxChain, tools: DeploymentTools): Promise<TestTokens> {
  const { deployTestTokens } = await import('./testTokens/deployTestTokens.ts');
  const testTokens = await deployTestTokens(chain, tools);
  for (const { symbol, address, decimals, about, pools } of testTokens.tokens) {
    chain.tokens.push({ chain: chain.name, symbol, address, decimals, about });
    chain.pools.push(...pools.filter(({ venue }) => venue !== 'vault').map(toPool));
  }
  return testTokens;
}

/** Facts about a chain for `GET /sandbox`, without the parameters of `executeRoute`. */
function toPool({ chain, venue, pool, token0, token1, key }: SandboxPool): SandboxPool {
  return { chain, venue, pool, token0, token1, ...(key && { key }) };
}
