import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createNodeClient,
  liveBlockMs,
  mineEvery,
  type Sandbox,
  type SandboxChain,
  startSandbox,
} from '../../../sandbox/index.ts';
import { readConfig } from '../../../server/config/index.ts';
import { type RunningServer, startServer } from '../../../server/startServer.ts';
import { findWallet } from '../../support/findWallet.ts';
import { buy, differenceOf, type PaidAnswer, type PaidCall, paidCalls } from './paidCalls.ts';
import { openAccount, type ProfileProxy, startProfileProxy, type Usage } from './profileProxy.ts';
import type { Profile } from './profileTypes.ts';

/** The local chains that all profiles are put in front of. */
export interface ProfileChains {
  sandbox: Sandbox;
  chains: Record<'base' | 'polygon' | 'arbitrum', SandboxChain>;
}

export async function startProfileChains(): Promise<ProfileChains> {
  const sandbox = await startSandbox({
    chains: ['base', 'polygon', 'arbitrum'],
    testTokens: true,
    mainnetUsdc: true,
  });
  const { base, polygon, arbitrum } = sandbox.chains;
  if (!base || !polygon || !arbitrum) throw new TypeError('A chain did not start.');
  return { sandbox, chains: { base, polygon, arbitrum } };
}

/** How a service in live mode with one URL a chain served the paid calls through a profile. */
export interface ProfileRun {
  profile: Profile;
  answers: PaidAnswer[];
  /** Answers that differ from those of the plain node. */
  wrong: string[];
  served: number;
  right: number;
  charged: number;
  chargedUnanswered: number;
  /** Tries that failed. */
  retries: number;
  usage: Usage;
  /** Reply bytes of the largest check. */
  largestCheckBytes: number;
  ms: number;
}

interface RunOptions {
  /** Answers of the plain node, by call. */
  plain?: ReadonlyMap<string, PaidAnswer['answer']>;
  seed?: number;
  /** Default: all. */
  only?: (call: PaidCall) => boolean;
  /** Called with the running service, before the calls. */
  inspect?: (server: RunningServer) => Promise<void>;
}

export async function runProfile(
  { sandbox, chains }: ProfileChains,
  profile: Profile,
  { plain, seed = 1, only = () => true, inspect }: RunOptions = {},
): Promise<ProfileRun> {
  const account = openAccount(profile.rules, seed);
  const names = Object.keys(chains) as (keyof typeof chains)[];
  const proxies = await Promise.all(
    names.map((name) => startProfileProxy(chains[name].rpcUrl, profile.rules, account)),
  );
  // Besides the blocks of transactions.
  const mining = names.map((name) =>
    mineEvery(createNodeClient(chains[name].rpcUrl), profile.blockMs ?? liveBlockMs[name]),
  );
  const dataDir = await mkdtemp(join(tmpdir(), 'truefill-profile-'));
  const payTo = findWallet(sandbox.wallets, 'payTo').address;
  let server: RunningServer | undefined;
  try {
    server = await startServer(
      readConfig({
        ...Object.fromEntries(names.map((name, index) => [`RPC_URL_${name.toUpperCase()}`, proxies[index]?.url ?? ''])),
        ...liveVariables,
        PAY_TO_EVM: payTo,
        FACILITATOR_KEY_EVM: findWallet(sandbox.wallets, 'facilitator').privateKey,
        DATA_DIR: dataDir,
      }),
    );
    await inspect?.(server);
    for (const proxy of proxies) proxy.reset();
    const startedAt = Date.now();
    const answers: PaidAnswer[] = [];
    let largestCheckBytes = 0;
    for (const call of paidCalls(chains).filter(only)) {
      const before = sum(proxies).replyBytes;
      answers.push(
        await buy(server.url, call, { payer: findWallet(sandbox.wallets, 'demo'), payTo, base: chains.base }),
      );
      if (isCheck(call)) largestCheckBytes = Math.max(largestCheckBytes, sum(proxies).replyBytes - before);
    }
    const wrong = answers.flatMap(({ call, answer }) => {
      const expected = plain?.get(call.name);
      return (answer && expected && differenceOf(call, answer, expected, profile)) || [];
    });
    const served = answers.filter(({ answer }) => answer).length;
    return {
      profile,
      answers,
      wrong,
      served,
      right: served - wrong.length,
      charged: answers.filter(({ charged }) => charged > 0n).length,
      chargedUnanswered: answers.filter(({ charged, answer }) => charged > 0n && !answer).length,
      retries: answers.reduce((count, { failures }) => count + failures.length, 0),
      usage: sum(proxies),
      largestCheckBytes,
      ms: Date.now() - startedAt,
    };
  } finally {
    await server?.close();
    for (const chain of mining) await chain.pause();
    for (const proxy of proxies) await proxy.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Variables of a service in live mode without vendors and rate limits. */
export const liveVariables = {
  PORT: '0',
  HOST: '127.0.0.1',
  PUBLIC_URL: 'https://truefill.example',
  RATE_LIMIT_PER_ADDRESS: '1000000',
  RATE_LIMIT_PER_WALLET: '1000000',
  FREE_TRIAL_GROUPS: 'none',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'silent',
  BLOCKSCOUT_URL: 'off',
  DEXSCREENER_URL: 'off',
  GECKOTERMINAL_URL: 'off',
  LOG_INDEX: 'off',
};

const isCheck = ({ path }: PaidCall) => path === '/v1/pretrade/check';

function sum(proxies: readonly ProfileProxy[]): Usage {
  const total: Usage = { requests: 0, calls: 0, units: 0, requestBytes: 0, replyBytes: 0 };
  for (const { usage } of proxies) {
    for (const key of Object.keys(total) as (keyof Usage)[]) total[key] += usage[key];
  }
  return total;
}
