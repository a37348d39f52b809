import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { createPublicClient, createWalletClient, erc20Abi, http } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import type { Sandbox } from '../../sandbox/index.ts';
import { nativePricing, type PaymentAttempt, type PaymentConfig } from '../../server/payments/index.ts';
import type { DatabaseLocation } from '../../server/storage/index.ts';
import { serviceFlags } from '../load/serviceArguments.ts';
import type { ReplicaCommand, ReplicaReport } from './settlementReplica.ts';

// What the benchmarks of settlements share: wallets, replicas in their own processes, and signed payments.

/** USDC units of one call. */
const price = 20_000n;

/** @throws {Error} if the sandbox has no Base or no wallet of a role */
export function toSettlementSetup({ chains, wallets }: Pick<Sandbox, 'chains' | 'wallets'>) {
  const { base: chain } = chains;
  if (!chain) throw new Error('The sandbox has no Base.');
  const wallet = (role: string) => {
    const found = wallets.find((candidate) => candidate.role === role);
    if (!found) throw new Error(`The sandbox has no wallet ${role}.`);
    return found;
  };
  const client = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 20 });
  const funder = createWalletClient({
    account: privateKeyToAccount(wallet('demo').privateKey),
    transport: http(chain.rpcUrl),
    chain: { ...base, id: chain.chainId },
  });
  return {
    chain,
    wallet,
    client,
    /** Payment networks of a replica that reaches the node at this URL. */
    networksAt: (rpcUrl: string): PaymentConfig['networks'] => [
      {
        network: `eip155:${chain.chainId}`,
        chainId: chain.chainId,
        rpcUrls: [rpcUrl],
        facilitatorKey: wallet('facilitator').privateKey,
        payTo: wallet('payTo').address,
        asset: chain.usdc,
        pricing: nativePricing('base'),
        domain: { name: 'USD Coin', version: '2' },
      },
    ],
    /** New wallets with USDC for 1,000 calls each. */
    async newPayers(count: number): Promise<PrivateKeyAccount[]> {
      const payers = Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()));
      for (const { address } of payers) {
        const args = [address, 1_000n * price] as const;
        const hash = await funder.writeContract({
          address: chain.usdc,
          abi: erc20Abi,
          functionName: 'transfer',
          args,
        });
        await client.waitForTransactionReceipt({ hash });
      }
      return payers;
    },
  };
}

export async function sendCommand(child: ChildProcess, command: ReplicaCommand): Promise<ReplicaReport> {
  const reply = once(child, 'message');
  child.send(command);
  return (await reply)[0] as ReplicaReport;
}

/**
 * Starts a payment service in its own process.
 *
 * @param options.checkout folder of another checkout whose service is measured; default: this one
 * @param options.profile folder for CPU profiles
 */
export async function openReplica(
  open: { database: DatabaseLocation; networks: PaymentConfig['networks'] },
  {
    checkout = join(import.meta.dirname, '..', '..'),
    profile,
  }: { checkout?: string; profile?: string | undefined } = {},
) {
  const profiling = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const child = fork(join(checkout, 'tools', 'bench', 'settlementReplica.ts'), {
    execArgv: [...serviceFlags, '--import', 'tsx', ...profiling],
    serialization: 'advanced',
  });
  const { challenge = '' } = await sendCommand(child, { open });
  return {
    child,
    challenge,
    async close() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
export type Replica = Awaited<ReturnType<typeof openReplica>>;

/** Signs the payments of each payer for quotes of different sizes. */
export async function presign(challenge: string, payers: readonly PrivateKeyAccount[], count: number) {
  const required = decodePaymentRequiredHeader(challenge);
  const all: PaymentAttempt[][] = [];
  for (const signer of payers) {
    const payer = registerExactEvmScheme(new x402Client(), { signer });
    const own: PaymentAttempt[] = [];
    for (let round = 0; round < count; round += 1) {
      const paymentHeader = encodePaymentSignatureHeader(await payer.createPaymentPayload(required));
      const input = `{"size":"${round}"}`;
      own.push({ paid: 'quote', route: 'POST /v1/quote', canonicalInput: input, queryKey: input, paymentHeader });
    }
    all.push(own);
  }
  return all;
}
