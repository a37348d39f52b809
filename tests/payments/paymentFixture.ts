import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { createNonceManager, jsonRpc } from 'viem/nonce';
import { type SandboxChain, type SandboxChainName, startSandbox } from '../../sandbox/index.ts';
import {
  createPaymentService,
  type PaymentAttempt,
  type PaymentConfig,
  type PaymentLedger,
  type PaymentService,
} from '../../server/payments/index.ts';
import { nativePricing } from '../../server/payments/networkConfigs.ts';
import { openStores } from '../../server/storage/index.ts';
import { createThirdParty } from './thirdParty.ts';

export const price = 20_000n;
export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Longer than any wait for a block takes on a busy machine; a test that waits longer fails with a reason. */
const patienceMs = 20_000;

/** Fields to change in the client's authorization before it is signed. */
export interface SignedTwist {
  to?: Address;
  value?: bigint;
  validAfter?: bigint;
  validBefore?: bigint;
  nonce?: Hex;
}

export interface OpenOptions {
  /** Database file; default: a new one. */
  file?: string;
  /** PostgreSQL URL, instead of a file. */
  url?: string;
  /** Default: the chain's own URL. */
  rpcUrl?: string;
  change?: (config: PaymentConfig) => PaymentConfig;
}

/** One sandbox chain with its USDC balances, and payment services on it. */
export async function openPaymentFixture(name: SandboxChainName = 'base') {
  const sandbox = await startSandbox({ chains: [name], mainnetUsdc: true });
  const chain = sandbox.chains[name] as SandboxChain;
  const folder = await mkdtemp(join(tmpdir(), 'truefill-ledger-'));
  const client = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 50 });
  const walletOf = (role: string) => {
    const wallet = sandbox.wallets.find((candidate) => candidate.role === role);
    if (!wallet) throw new Error(`The sandbox has no wallet ${role}.`);
    return wallet;
  };
  const payTo = walletOf('payTo').address;
  const funder = createWalletClient({
    // Its own: each world starts a new chain with the same chain id.
    account: privateKeyToAccount(walletOf('demo').privateKey, {
      nonceManager: createNonceManager({ source: jsonRpc() }),
    }),
    transport: http(chain.rpcUrl),
    chain: { ...base, id: chain.chainId },
  });

  function paymentConfig(ledger: PaymentLedger, rpcUrl: string): PaymentConfig {
    return {
      networks: [
        {
          network: `eip155:${chain.chainId}`,
          chainId: chain.chainId,
          rpcUrls: [rpcUrl],
          facilitatorKey: walletOf('facilitator').privateKey,
          payTo,
          asset: chain.usdc,
          pricing: nativePricing(name),
          domain: { name: 'USD Coin', version: '2' },
        },
      ],
      offers: [
        {
          paid: 'quote',
          priceUsd: '0.02',
          resource: { url: 'http://localhost/v1/quote', description: 'A quote', mimeType: 'application/json' },
        },
      ],
      ledger,
      now: Date.now,
      logger: silent,
      timings: { receiptPollMs: 50 },
    };
  }

  /** A payment service with its own ledger; `close` ends both. */
  async function openPaymentService(options: OpenOptions = {}) {
    const place = options.url === undefined ? { file: options.file ?? newLedgerFile() } : { url: options.url };
    const stores = await openStores(place, Date.now);
    const { ledger } = stores;
    const config = paymentConfig(ledger, options.rpcUrl ?? chain.rpcUrl);
    const paymentService = await createPaymentService(options.change?.(config) ?? config).catch(async (cause) => {
      await stores.close();
      throw cause;
    });
    return {
      paymentService,
      ledger,
      /** Ends the pauses of all wallets. */
      endPauses: () => stores.database.write((sql) => sql.updateTable('payers').set({ paused_until: 0 }).execute()),
      close: async () => {
        await paymentService.close();
        await stores.close();
      },
    };
  }

  const newLedgerFile = (): string => join(folder, `${randomBytes(6).toString('hex')}.db`);

  /** The decoded payload that the published client signs for a challenge. */
  async function sign(paymentService: PaymentService, account: PrivateKeyAccount): Promise<PaymentPayload> {
    const payer = registerExactEvmScheme(new x402Client(), { signer: account });
    return payer.createPaymentPayload(decodePaymentRequiredHeader(paymentService.challenge('quote').header));
  }

  /** Signs by hand, with changed fields. */
  async function signTwisted(
    paymentService: PaymentService,
    account: PrivateKeyAccount,
    twist: SignedTwist,
  ): Promise<PaymentPayload> {
    const payload = await sign(paymentService, account);
    const { authorization: signed } = payload.payload as { authorization: Record<string, string> };
    const authorization = {
      from: account.address,
      to: twist.to ?? (signed.to as Address),
      value: twist.value ?? BigInt(signed.value ?? 0),
      validAfter: twist.validAfter ?? BigInt(signed.validAfter ?? 0),
      validBefore: twist.validBefore ?? BigInt(signed.validBefore ?? 0),
      nonce: twist.nonce ?? (signed.nonce as Hex),
    };
    const signature = await account.signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: chain.chainId, verifyingContract: chain.usdc },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: authorization,
    });
    const { value, validAfter, validBefore } = authorization;
    const wire = { ...authorization, value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` };
    return { ...payload, payload: { authorization: wire, signature } };
  }

  async function give(to: Address, units: bigint): Promise<void> {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] });
    await mined(await funder.sendTransaction({ to: chain.usdc, data, gas: 150_000n }));
  }

  /**
   * viem polls only on a new block; a chain that mines on demand may already have mined the last one.
   * @throws when it is not included in time: behind a nonce gap it never is
   */
  async function receiptOf(hash: Hex): Promise<TransactionReceipt> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const receipt = await client.getTransactionReceipt({ hash }).catch((error) => {
        if (error instanceof TransactionReceiptNotFoundError) return undefined;
        throw error;
      });
      if (receipt) return receipt;
      if (performance.now() > until) throw new Error(await describeMissing(hash));
      await sleep(20);
    }
  }

  async function describeMissing(hash: Hex): Promise<string> {
    const { from, nonce } = await client.getTransaction({ hash });
    const next = await client.getTransactionCount({ address: from });
    return `Transaction ${hash} is in no block after ${patienceMs} ms: its nonce is ${nonce}, and ${next} is the next one of ${from}.`;
  }

  async function mined(hash: Hex): Promise<void> {
    const { status } = await receiptOf(hash);
    if (status !== 'success') throw new Error(`The test's own transaction ${hash} failed.`);
  }

  const { sendElsewhere, sendCancel } = createThirdParty(funder, chain);
  const keys = new Map<Address, Hex>();

  return {
    keyOf: ({ address }: PrivateKeyAccount): Hex => keys.get(address) ?? '0x',
    give,
    sendElsewhere,
    sendCancel,
    submitElsewhere: async (payload: PaymentPayload) => mined(await sendElsewhere(payload)),
    cancel: async (payer: PrivateKeyAccount, payload: PaymentPayload) => mined(await sendCancel(payer, payload)),
    /** Resolves when `count` transactions are pending. */
    async untilPending(count: number): Promise<void> {
      const until = performance.now() + patienceMs;
      for (;;) {
        const status = await client.request<{ Method: 'txpool_status'; Parameters: []; ReturnType: { pending: Hex } }>({
          method: 'txpool_status',
          params: [],
        });
        if (Number(status.pending) >= count) return;
        if (performance.now() > until)
          throw new Error(`${Number(status.pending)} of ${count} transactions are pending.`);
        await sleep(20);
      }
    },
    /** A raw request to the local chain, to control mining and code. */
    rpc: <T>(method: string, params: unknown[] = []): Promise<T> =>
      client.request({ method, params } as never) as Promise<T>,
    chain,
    client,
    payTo,
    walletOf,
    paymentConfig,
    newLedgerFile,
    openPaymentService,
    sign,
    signTwisted,
    /** A new wallet funded with `units` of USDC by a real transfer. */
    async newPayer(units: bigint): Promise<PrivateKeyAccount> {
      const key = generatePrivateKey();
      const account = privateKeyToAccount(key);
      keys.set(account.address, key);
      if (units > 0n) await give(account.address, units);
      return account;
    },
    usdcOf: (address: Address): Promise<bigint> =>
      client.readContract({ address: chain.usdc, abi: erc20Abi, functionName: 'balanceOf', args: [address] }),
    async close() {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type PaymentFixture = Awaited<ReturnType<typeof openPaymentFixture>>;

/** A request for a quote of `input`, paid with `payload`. */
export function attemptOf(payload: PaymentPayload, input = '{"size":"1"}'): PaymentAttempt {
  return {
    paid: 'quote',
    route: 'POST /v1/quote',
    canonicalInput: input,
    question: input,
    paymentHeader: encodePaymentSignatureHeader(payload),
  };
}

/** A test's answer; its body contains the input. */
export const answerTo = (input: string) => ({
  status: 200,
  contentType: 'application/json',
  body: JSON.stringify({ answered: input }),
});
