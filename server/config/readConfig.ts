import type { z } from 'zod';
import { byChain, chainNames } from '../../engine/index.ts';
import { freshnessName, readRpcBudgets, readRpcUrls, rpcUrlName } from './chainVariables.ts';
import { commonVariables } from './commonVariables.ts';
import { ConfigError } from './configError.ts';
import type { CommonConfig, Config, LiveConfig } from './configTypes.ts';
import { facilitatorFaults, type PaidOn, toRemotes } from './facilitatorVariables.ts';
import { liveVariables } from './liveVariables.ts';
import { unknownVariableFaults } from './misspelt.ts';
import { payeeFaults } from './payeeFaults.ts';
import { solanaFaults, toSolanaConfig } from './solanaVariables.ts';
import { isRepeatable, variables } from './variables.ts';
import { toVendorConfig } from './vendorVariables.ts';

export type Environment = Record<string, string | undefined>;

/**
 * Reads the configuration from the environment. An empty environment selects the sandbox; `TRUEFILL_MODE=live` or any
 * RPC URL selects live mode.
 * @throws {ConfigError} with every fault at once
 */
export function readConfig(environment: Environment): Config {
  // Compose files and CI systems set missing variables to the empty string.
  const env = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const mode = env.TRUEFILL_MODE;
  const rpcVariables = Object.keys(env).filter((name) => name.startsWith('RPC_URL_'));
  const isLive = mode === 'live' || rpcVariables.length > 0;

  const paidOn = ([...chainNames, 'solana'] as PaidOn[]).filter(
    (network) => env[`RPC_URL_${network.toUpperCase()}`] !== undefined,
  );

  const common = commonVariables.safeParse(env);
  const live = isLive ? liveVariables.safeParse(env) : undefined;
  const faults = [
    ...modeFaults(mode, rpcVariables),
    ...unknownVariableFaults(
      env,
      variables.map(({ name }) => name),
    ),
    ...(common.error ? toFaults(common.error, env) : []),
    ...(live?.error ? toFaults(live.error, env) : []),
    ...(isLive
      ? [...rpcFaults(rpcVariables), ...solanaFaults(env), ...facilitatorFaults(env, paidOn), ...publicUrlFaults(env)]
      : []),
    ...(isLive || env.DATABASE_URL === undefined ? [] : [sandboxDatabase]),
    ...observabilityFaults(env),
    ...portFaults(env),
  ];
  if (faults.length > 0 || !common.success) throw new ConfigError(faults);

  const shared = toCommon(common.data, isLive ? '0.0.0.0' : '127.0.0.1');
  if (!live?.success) return { mode: 'sandbox', ...shared };
  const solana = toSolanaConfig(live.data);
  const config: LiveConfig = {
    mode: 'live',
    ...shared,
    rpcUrls: readRpcUrls(live.data),
    rpcBudgets: readRpcBudgets(live.data),
    databaseUrl: live.data.DATABASE_URL,
    payToEvm: live.data.PAY_TO_EVM,
    ...(live.data.FACILITATOR_KEY_EVM && { facilitatorKeyEvm: live.data.FACILITATOR_KEY_EVM }),
    ...(live.data.RECEIPT_SIGNING_KEY && { receiptKey: live.data.RECEIPT_SIGNING_KEY }),
    ...(solana && { solana }),
    remotes: toRemotes(live.data, env, paidOn),
    vendors: toVendorConfig(live.data),
  };
  const lost = payeeFaults(config);
  if (lost.length > 0) throw new ConfigError(lost);
  return config;
}

const sandboxDatabase =
  'DATABASE_URL is set, but the sandbox uses its own database: unset it, or set the RPC URLs of a live service';

/** Hosts that only this machine can reach. */
const loopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Buyers sign for the published URL, so live mode does not guess it. */
function publicUrlFaults({ PUBLIC_URL: url }: Environment): string[] {
  if (url === undefined)
    return ['PUBLIC_URL is missing: set the https URL at which clients reach the service; payment options contain it'];
  if (!URL.canParse(url)) return [];
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !loopback.test(hostname)
    ? ['PUBLIC_URL must be an https URL: http is accepted only for localhost, 127.0.0.1 and [::1]']
    : [];
}

function portFaults({ PORT = '4020', METRICS_PORT }: Environment): string[] {
  return METRICS_PORT !== undefined && METRICS_PORT === PORT && PORT !== '0'
    ? [
        `METRICS_PORT and PORT are both ${isRepeatable('PORT', PORT) ? PORT : 'the same'}: set METRICS_PORT to another port`,
      ]
    : [];
}

/** Faults for variables that have no effect because another one is missing. */
function observabilityFaults(env: Environment): string[] {
  const unused = (name: string, required: string) =>
    env[name] !== undefined && env[required] === undefined
      ? [`${name} is set without ${required}: set both, or neither`]
      : [];
  return [
    ...unused('METRICS_HOST', 'METRICS_PORT'),
    ...unused('OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_ENDPOINT'),
    ...unused('OTEL_TRACES_SAMPLER_ARG', 'OTEL_EXPORTER_OTLP_ENDPOINT'),
  ];
}

function modeFaults(mode: string | undefined, rpcVariables: string[]): string[] {
  if (mode !== undefined && mode !== 'live' && mode !== 'sandbox')
    return [
      `TRUEFILL_MODE must be live or sandbox${isRepeatable('TRUEFILL_MODE', mode) ? `, got ${JSON.stringify(mode)}` : ''}`,
    ];
  if (mode === 'sandbox' && rpcVariables.length > 0) {
    return [`TRUEFILL_MODE is sandbox, but ${rpcVariables.join(', ')} selects live mode: unset one of the two`];
  }
  return [];
}

function rpcFaults(rpcVariables: string[]): string[] {
  const served: string[] = chainNames.map(rpcUrlName);
  const unknown = rpcVariables.filter((name) => !served.includes(name) && name !== 'RPC_URL_SOLANA');
  return [
    ...unknown.map((name) => `${name} is not a supported chain: use one of ${served.join(', ')}`),
    ...(rpcVariables.some((name) => served.includes(name))
      ? []
      : [`${served.join(', ')} are all missing: set at least one`]),
  ];
}

/** The sandbox publishes private keys, so by default it binds to the loopback only. */
function toCommon(env: z.output<typeof commonVariables>, defaultHost: string): CommonConfig {
  return {
    port: env.PORT,
    host: env.HOST ?? defaultHost,
    publicUrl: env.PUBLIC_URL,
    contactEmail: env.CONTACT_EMAIL,
    trustedProxies: env.TRUSTED_PROXIES,
    connections: toConnectionLimit(env),
    requestsPerMinutePerAddress: env.RATE_LIMIT_PER_ADDRESS,
    requestsPerMinutePerWallet: env.RATE_LIMIT_PER_WALLET,
    contractWalletGasUsdPerHour: env.CONTRACT_WALLET_GAS_USD_PER_HOUR,
    freeTrialsPerIp: env.FREE_TRIALS_PER_IP,
    preconfirmedNetworks: env.PRECONFIRMED_NETWORKS,
    preferredNetworks: env.PREFERRED_NETWORKS,
    logLevel: env.LOG_LEVEL,
    freeTrialGroups: env.FREE_TRIAL_GROUPS,
    answerRetentionDays: env.ANSWER_RETENTION_DAYS,
    withdrawnExecutors: env.EXECUTOR_WITHDRAWN,
    dataDir: env.DATA_DIR,
    deadlineMs: env.QUOTE_DEADLINE_MS,
    freshnessMs: byChain((chain) => env[freshnessName(chain)]),
    metricsAt:
      env.METRICS_PORT === undefined ? undefined : { host: env.METRICS_HOST ?? '127.0.0.1', port: env.METRICS_PORT },
    traces: env.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
          headers: env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
          ratio: env.OTEL_TRACES_SAMPLER_ARG,
        }
      : undefined,
  };
}

/** Enough for an agent with hundreds of calls in flight, and a small part of the total. */
const defaultConnectionsPerAddress = 256;

function toConnectionLimit(env: z.output<typeof commonVariables>): CommonConfig['connections'] {
  const perAddress =
    env.CONNECTIONS_PER_ADDRESS ?? (env.TRUSTED_PROXIES > 0 ? undefined : defaultConnectionsPerAddress);
  return perAddress === undefined ? undefined : { perAddress, exempt: env.CONNECTIONS_UNLIMITED_FROM };
}

function toFaults(error: z.ZodError, env: Record<string, string | undefined>): string[] {
  return error.issues.map(({ path, message }) => {
    const name = path.map(String).join('.');
    const value = env[name];
    return `${name} ${message}${value !== undefined && isRepeatable(name, value) ? `, got ${JSON.stringify(value)}` : ''}`;
  });
}
