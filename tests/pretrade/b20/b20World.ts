import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  maxUint256,
  parseAbi,
  stringToHex,
  zeroAddress,
} from 'viem';
import { b20, createB20, installB20, sendB20 } from '../../../sandbox/b20/installB20.ts';
import {
  makerAddress,
  reopenChain,
  type Sandbox,
  type SandboxChain,
  startSandbox,
  type TokenPlan,
} from '../../../sandbox/index.ts';
import { derivedAddress } from '../../../sandbox/placement/derivedAddress.ts';
import { createNodeClient, NodeCallError, type NodeClient } from '../../../sandbox/rpc/nodeClient.ts';
import { freshWallet, sendAndMine, succeeded } from '../../../sandbox/testTokens/measurement/traders.ts';
import { findWallet } from '../../support/findWallet.ts';

/** Accounts with rights in the tests. The node has unlocked them. */
export const accounts = {
  admin: derivedAddress('b20 admin'),
  minter: derivedAddress('b20 minter'),
  burner: derivedAddress('b20 burner'),
  seizer: derivedAddress('b20 seizer'),
  pauser: derivedAddress('b20 pauser'),
  unpauser: derivedAddress('b20 unpauser'),
  operator: derivedAddress('b20 operator'),
  policyAdmin: derivedAddress('b20 policy admin'),
} as const;
export type Actor = keyof typeof accounts;

/** Uniswap's v2 router on Base. */
export const router: Address = '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24';
const someone = derivedAddress('b20 someone');

export const idOf = (name: string): Hex =>
  name === 'DEFAULT_ADMIN_ROLE' ? `0x${'0'.repeat(64)}` : keccak256(stringToHex(name));

const kinds = ['blocklist', 'allowlist', 'union', 'intersection'] as const;

/** A B20 token with a pool of 100,000 USD against WETH. */
export interface B20Token {
  symbol: string;
  address: Address;
  pair: Address;
}

/** A local Base with B20, and the means to change tokens and to trade as real wallets. */
export class B20World {
  readonly node: NodeClient;

  private constructor(
    readonly sandbox: Sandbox,
    /** With the tokens and pools that were created. */
    public chain: SandboxChain,
  ) {
    this.node = createNodeClient(chain.rpcUrl);
  }

  static async start(): Promise<B20World> {
    const sandbox = await startSandbox({ chains: ['base'] });
    const world = new B20World(sandbox, sandbox.chains.base as SandboxChain);
    for (const account of [...Object.values(accounts), makerAddress]) {
      await world.node.batch([
        { method: 'anvil_impersonateAccount', params: [account] },
        { method: 'anvil_setBalance', params: [account, '0x3635c9adc5dea00000'] },
      ]);
    }
    await installB20(world.node, accounts.admin);
    return world;
  }

  /** Creates tokens with their pools. */
  async create(
    tokens: readonly { symbol: string; variant?: 'asset' | 'stablecoin' }[],
  ): Promise<Map<string, B20Token>> {
    const made: TokenPlan[] = [];
    for (const { symbol, variant = 'asset' } of tokens) {
      const decimals = variant === 'asset' ? 18 : 6;
      const mint = encodeFunctionData({ abi: b20.abi, functionName: 'mint', args: [makerAddress, 10n ** 30n] });
      const creation = { variant, name: symbol, admin: accounts.admin, decimals, initCalls: [mint] };
      const address = await createB20(this.node, accounts.admin, creation);
      made.push({ symbol, usd: 1, decimals, about: symbol, address });
    }
    const builder = await reopenChain(this.chain, this.sandbox.wallets);
    const listed = await builder.list({
      tokens: made,
      pools: made.map(({ symbol }) => ({ venue: 'uniswap-v2', pair: [symbol, 'WETH'], usd: 100_000 })),
    });
    // The trader executes quotes; it also is a holder without code.
    const trader = findWallet(this.sandbox.wallets, 'trader').address;
    for (const { address, decimals } of made) {
      const amount = 50_000_000n * 10n ** BigInt(decimals);
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [trader, amount] });
      await sendB20(this.node, { from: makerAddress, to: address, data });
    }
    this.chain = listed;
    const tokenOf = ({ symbol, address }: (typeof made)[number]): [string, B20Token] => {
      const pool = listed.pools.find(({ token0, token1 }) => [token0, token1].includes(address));
      return [symbol, { symbol, address, pair: pool?.pool ?? zeroAddress }];
    };
    return new Map(made.map(tokenOf));
  }

  /** Calls the token as one of the accounts. @throws {Error} the call fails */
  async act(actor: Actor, { address }: B20Token, functionName: string, args: readonly unknown[] = []): Promise<void> {
    const data = encodeFunctionData({ abi: b20.abi, functionName, args } as never);
    await sendB20(this.node, { from: accounts[actor], to: address, data });
  }

  /** Calls the policy registry as the policies' admin. */
  async decide(functionName: string, args: readonly unknown[]): Promise<void> {
    const data = encodeFunctionData({ abi: b20.registryAbi, functionName, args } as never);
    await sendB20(this.node, { from: accounts.policyAdmin, to: b20.policyRegistry, data });
  }

  /** Creates a policy and returns its id. A list starts with these members, a union or intersection with these lists. */
  async policy(kind: (typeof kinds)[number], members: readonly (Address | bigint)[] = []): Promise<bigint> {
    const isList = kind === 'blocklist' || kind === 'allowlist';
    const functionName = isList ? 'createPolicyWithAccounts' : 'createCompositePolicy';
    const args = [accounts.policyAdmin, kinds.indexOf(kind), members];
    const data = encodeFunctionData({ abi: b20.registryAbi, functionName, args } as never);
    const call = { from: accounts.policyAdmin, to: b20.policyRegistry, data };
    const id = await this.node.call<Hex>('eth_call', [call, 'latest']);
    await sendB20(this.node, call);
    return BigInt(id);
  }

  /** Whether a call would succeed now. */
  async can(from: Address, to: Address, data: Hex): Promise<boolean> {
    try {
      await this.node.call('eth_call', [{ from, to, data }, 'latest']);
      return true;
    } catch (error) {
      if (error instanceof NodeCallError) return false;
      throw error;
    }
  }

  async balanceOf({ address }: B20Token, account: Address): Promise<bigint> {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] });
    return BigInt(await this.node.call<Hex>('eth_call', [{ to: address, data }, 'latest']));
  }

  /** A new wallet buys for one ether and then sells half of what it got, in real transactions. */
  async trade(
    token: B20Token,
    name = token.symbol,
  ): Promise<{ bought: boolean; sold: boolean | undefined; wallet: Address }> {
    const wallet = freshWallet(`b20 ${name}`);
    const { address } = wallet;
    await this.node.call('anvil_setBalance', [address, '0x8ac7230489e80000']);
    const { chain } = this;
    const buy = encodeFunctionData({
      abi: routerAbi,
      functionName: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
      args: [0n, [chain.wrappedNative, token.address], address, maxUint256],
    });
    const bought = succeeded(await sendAndMine(this.node, wallet, [{ to: router, data: buy, value: 10n ** 17n }]));
    if (!bought) return { bought, sold: undefined, wallet: address };
    const sold = await this.sell(token, name);
    return { bought, sold, wallet: address };
  }

  /** The wallet of `trade` sells half of what it holds. */
  async sell(token: B20Token, name = token.symbol): Promise<boolean> {
    const wallet = freshWallet(`b20 ${name}`);
    const held = await this.balanceOf(token, wallet.address);
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [router, maxUint256] });
    const sell = encodeFunctionData({
      abi: routerAbi,
      functionName: 'swapExactTokensForETHSupportingFeeOnTransferTokens',
      args: [held / 2n, 0n, [token.address, this.chain.wrappedNative], wallet.address, maxUint256],
    });
    await sendAndMine(this.node, wallet, [{ to: token.address, data: approve }]);
    return succeeded(await sendAndMine(this.node, wallet, [{ to: router, data: sell }]));
  }

  close(): Promise<void> {
    return this.sandbox.close();
  }
}

export const mintTo = (amount: bigint): Hex =>
  encodeFunctionData({ abi: b20.abi, functionName: 'mint', args: [someone, amount] });

const routerAbi = parseAbi([
  'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 least, address[] path, address to, uint256 deadline) payable',
  'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amount, uint256 least, address[] path, address to, uint256 deadline)',
]);
