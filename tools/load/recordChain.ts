import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeFunctionData, type Hex, keccak256, numberToHex, parseAbi, parseTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type ProxiedCall, startRpcProxy, startSandbox } from '../../sandbox/index.ts';
import { buyOnce, postJson } from './buyOnce.ts';
import { liveVariables } from './liveVariables.ts';
import { replayKey } from './replayKey.ts';
import { serviceArguments } from './serviceArguments.ts';
import { startMeasured } from './startMeasured.ts';

/** Responses of the sandbox's chain to the service, with which a replay node can replace the chain. */
export interface Recording {
  /** Response bodies, keyed by `replayKey` of their requests. */
  replies: Record<string, string>;
  /** The last recorded settlement. Its hash, payer, value (32 bytes) and nonce occur in the recorded receipt. */
  settled: { hash: Hex; from: Hex; value: Hex; nonce: Hex };
  tokenIn: Hex;
  tokenOut: Hex;
  payTo: Hex;
  facilitatorKey: Hex;
}

const usdcAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);

/** The settlement among the calls, if they broadcast one. */
function toSettled(calls: ProxiedCall[]): Recording['settled'] | undefined {
  const [sent] = calls.find(({ method }) => method.startsWith('eth_sendRawTransaction'))?.params ?? [];
  if (typeof sent !== 'string') return undefined;
  const raw = sent as Hex;
  const { data = '0x' } = parseTransaction(raw);
  const { args } = decodeFunctionData({ abi: usdcAbi, data });
  const [from, , value, , , nonce] = args;
  return { hash: keccak256(raw), from: from.toLowerCase() as Hex, value: numberToHex(value, { size: 32 }), nonce };
}

/**
 * Runs the service in live mode on the sandbox's Base, makes the benchmark's purchases, and records the node's
 * responses.
 */
export async function recordChain(): Promise<Recording> {
  const sandbox = await startSandbox({ chains: ['base'], mainnetUsdc: true });
  const chain = sandbox.chains.base;
  if (!chain) throw new Error('The sandbox has no Base.');
  const walletOf = (role: string) => {
    const wallet = sandbox.wallets.find((entry) => entry.role === role);
    if (!wallet) throw new Error(`The sandbox has no ${role} wallet.`);
    return wallet;
  };
  const proxy = await startRpcProxy(chain.rpcUrl);
  const folder = await mkdtemp(join(tmpdir(), 'truefill-recording-'));
  const replies: Recording['replies'] = {};
  let settled: Recording['settled'] | undefined;
  proxy.fault = (calls) => {
    settled = toSettled(calls) ?? settled;
    return {
      kind: 'rewrite',
      reply: (text) => {
        // A receipt that is still null must not be replayed.
        if (!text.includes('"result":null')) keep(calls, text);
        return text;
      },
    };
  };
  function keep(calls: ProxiedCall[], text: string): void {
    replies[replayKey(calls)] = text;
    const parsed = JSON.parse(text) as { id: unknown }[] | object;
    if (!Array.isArray(parsed)) return;
    // Calls of one batch may be sent separately in another order.
    for (const call of calls) {
      const reply = parsed.find(({ id }) => id === call.id);
      if (!reply) continue;
      const key = replayKey([call]);
      const text = JSON.stringify({ ...reply, id: 0 });
      // The receipt belongs to the settlement that was recorded last.
      if (call.method === 'eth_getTransactionReceipt') replies[key] = text;
      else replies[key] ??= text;
    }
  }
  const payment = { payTo: walletOf('payTo').address, facilitatorKey: walletOf('facilitator').privateKey };
  const account = privateKeyToAccount(walletOf('demo').privateKey);
  const [tokenIn, tokenOut] = [chain.wrappedNative, chain.usdc];

  /** Buys quotes from a new service: the first request of a token sends other calls than later ones. */
  async function recordQuotes(): Promise<void> {
    const dataDir = await mkdtemp(join(folder, 'data-'));
    const service = await startMeasured({
      nodeArguments: serviceArguments,
      environment: liveVariables({ ...payment, rpcUrl: proxy.url, dataDir, freshnessMs: 100 }),
      pattern: /answers on (http:\S+)/,
    });
    try {
      for (const sizeIn of ['1.5', '1.6', '1.7']) {
        await buyOnce(`${service.ready}/v1/quote`, { tokenIn, tokenOut, sizeIn }, account);
      }
    } finally {
      await service.stop();
    }
  }

  try {
    await recordQuotes();
    // Requested every few seconds while payments are recent.
    await postJson(proxy.url, { jsonrpc: '2.0', id: 0, method: 'eth_blockNumber', params: [] });
    if (!settled) throw new Error('The service sent no settlement.');
    // The service requests the receipt only if the broadcast did not return it.
    const params = [settled.hash];
    await postJson(proxy.url, { jsonrpc: '2.0', id: 0, method: 'eth_getTransactionReceipt', params });
    return { replies, settled, tokenIn, tokenOut, ...payment };
  } finally {
    await proxy.close();
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}
