import { gunzipSync } from 'node:zlib';
import { type Address, type Hex, hexToNumber, numberToHex } from 'viem';
import { buildChain } from '../../../sandbox/buildChain.ts';
import { planChain } from '../../../sandbox/chains/planChain.ts';
import type { SandboxChain, SandboxChainName, SandboxWallet, TestTokens } from '../../../sandbox/index.ts';
import { mainnetUsdcName } from '../../../sandbox/index.ts';
import { startingNative } from '../../../sandbox/market/stockWallets.ts';
import { type NodeToStart, startNodes } from '../../../sandbox/process/startNodes.ts';
import { createNodeClient, type NodeClient } from '../../../sandbox/rpc/nodeClient.ts';
import { deployTestTokens } from '../../../sandbox/testTokens/deployTestTokens.ts';
import { sandboxWallets } from '../../../sandbox/wallets.ts';

/** An account as anvil dumps it. */
export interface DumpedAccount {
  nonce: number;
  balance: Hex;
  code?: Hex;
  storage?: Record<Hex, Hex>;
}

export interface BuiltTransaction {
  from: Address;
  to: Address | null;
  input: Hex;
  value: Hex;
  gas: Hex;
  nonce: Hex;
  maxFeePerGas?: Hex;
  maxPriorityFeePerGas?: Hex;
  gasPrice?: Hex;
}

interface BuiltBlock {
  number: Hex;
  timestamp: Hex;
  baseFeePerGas: Hex;
  transactions: BuiltTransaction[];
}

/** A chain that anvil has built, in the parts that another node needs to build it again. */
export interface RecordedBuild {
  chain: SandboxChain;
  testTokens?: TestTokens;
  wallets: readonly SandboxWallet[];
  anvil: NodeClient;
  /** The state before the first transaction of the market, by address. */
  accounts: Map<Address, DumpedAccount>;
  /** All blocks after the genesis block. Those up to `placedBlock` are part of `accounts`. */
  blocks: BuiltBlock[];
  placedBlock: number;
  genesisTime: number;
  close(): Promise<void>;
}

/** anvil's methods that change the state without a transaction. */
const changesState = /^anvil_set(Code|Balance|StorageAt|Nonce)$/;

/**
 * Builds a chain on anvil, with a second between blocks, and records what was placed without a transaction.
 * @throws {NodeStartError | AnvilMissingError}
 */
export async function recordBuild(name: SandboxChainName, start: NodeToStart): Promise<RecordedBuild> {
  const nodes = await startNodes([{ ...start, keptStates: 128 }]);
  try {
    const anvil = createNodeClient(nodes.byName.get(name)?.rpcUrl ?? '');
    const recorder = await recordNode(anvil);
    const wallets = sandboxWallets();
    await recorder.node.batch(
      wallets.map(({ address, role }) => ({
        method: 'anvil_setBalance',
        params: [address, numberToHex(startingNative(role))],
      })),
    );
    const plan = await planChain(name);
    const chain = await buildChain(plan, recorder.node, wallets, mainnetUsdcName);
    const placed = recorder.finishPlacing();
    const testTokens = name === 'base' ? await deployTestTokens(chain, { node: recorder.node, plan }) : undefined;
    listTestTokens(chain, testTokens);
    // An empty block, from which the next fork may apply.
    await recorder.node.call('evm_mine');
    applyChanges(placed.accounts, recorder.laterChanges);
    const head = hexToNumber(await anvil.call<Hex>('eth_blockNumber'));
    const blocks: BuiltBlock[] = [];
    for (let number = 1; number <= head; number++) {
      blocks.push(await anvil.call<BuiltBlock>('eth_getBlockByNumber', [numberToHex(number), true]));
    }
    await anvil.call('anvil_setLoggingEnabled', [false]);
    return {
      chain,
      ...(testTokens && { testTokens }),
      wallets,
      anvil,
      accounts: placed.accounts,
      blocks,
      placedBlock: placed.block,
      genesisTime: recorder.genesisTime,
      close: () => nodes.close(),
    };
  } catch (cause) {
    await nodes.close();
    throw cause;
  }
}

/** As the sandbox lists them: checks and quotes know the hooks of listed v4 pools. */
function listTestTokens(chain: SandboxChain, testTokens: TestTokens | undefined): void {
  for (const { symbol, address, decimals, about, pools } of testTokens?.tokens ?? []) {
    chain.tokens.push({ chain: chain.name, symbol, address, decimals, about });
    chain.pools.push(...pools.filter(({ venue }) => venue !== 'vault'));
  }
}

interface Change {
  method: string;
  params?: readonly unknown[];
}

async function recordNode(anvil: NodeClient) {
  const { timestamp } = await anvil.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['0x0', false]);
  const genesisTime = hexToNumber(timestamp);
  let lastTime = genesisTime;
  let isPlacing = true;
  let isChanged = false;
  let latest: { accounts: Map<Address, DumpedAccount>; block: number } | undefined;
  const laterChanges: Change[] = [];

  async function beforeSending(calls: readonly Change[]): Promise<void> {
    const changes = calls.filter(({ method }) => changesState.test(method));
    if (!isPlacing) laterChanges.push(...changes);
    if (isPlacing && isChanged && calls.some(({ method }) => method === 'eth_sendTransaction')) {
      latest = await dumpState(anvil);
      isChanged = false;
    }
    isChanged ||= changes.length > 0;
    // Times must rise: go-ethereum refuses two blocks of the same second.
    if (calls.some(({ method }) => method === 'evm_mine')) {
      lastTime += 1;
      await anvil.call('evm_setNextBlockTimestamp', [lastTime]);
    }
  }

  const batch = async <T>(calls: readonly Change[]): Promise<T[]> => {
    await beforeSending(calls);
    return anvil.batch<T>(calls);
  };
  const node: NodeClient = {
    rpcUrl: anvil.rpcUrl,
    batch,
    call: async <T>(method: string, params: readonly unknown[] = []) => (await batch<T>([{ method, params }]))[0] as T,
  };
  return {
    node,
    genesisTime,
    laterChanges,
    /** The state before the last transactions that were sent after a change of the state. */
    finishPlacing() {
      isPlacing = false;
      if (!latest) throw new TypeError('Nothing was placed.');
      return latest;
    },
  };
}

async function dumpState(anvil: NodeClient): Promise<{ accounts: Map<Address, DumpedAccount>; block: number }> {
  const dump = await anvil.call<Hex>('anvil_dumpState');
  const { accounts } = JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString('utf8')) as {
    accounts: Record<Address, DumpedAccount>;
  };
  const block = hexToNumber(await anvil.call<Hex>('eth_blockNumber'));
  const entries = Object.entries(accounts) as [Address, DumpedAccount][];
  return { accounts: new Map(entries.map(([address, account]) => [lower(address), account])), block };
}

const lower = (address: string) => address.toLowerCase() as Address;

/** Code and balances that were set after the market: no transaction before them touches these accounts. */
function applyChanges(accounts: Map<Address, DumpedAccount>, changes: readonly Change[]): void {
  for (const { method, params = [] } of changes) {
    const [address, value] = params as [Address, Hex];
    const account = accounts.get(lower(address)) ?? { nonce: 0, balance: '0x0' };
    if (method === 'anvil_setCode') accounts.set(lower(address), { ...account, code: value });
    else if (method === 'anvil_setBalance') accounts.set(lower(address), { ...account, balance: value });
    else throw new TypeError(`${method} after the market was built cannot be repeated on another node.`);
  }
}
