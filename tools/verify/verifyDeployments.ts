/**
 * npm run verify:deployments -- --chain base [--rpc https://…]
 * npm run verify:deployments -- --sandbox [--chain base]
 *
 * Compares every row of engine/venues/deployments with a live chain (--rpc, otherwise RPC_URL_<CHAIN>) or with the
 * sandbox. Exits with 1 if a row differs, with 2 for invalid options or if a row could not be read, and with 3 if a live
 * chain lacks what a row names. The sandbox deploys only a part of the rows, so there a missing row is no failure.
 */
import { parseArgs } from 'node:util';
import { type ChainName, chainIds, chainNames, deployments, RpcTransportError } from '../../engine/index.ts';
import { standInFactories, startSandbox } from '../../sandbox/index.ts';
import { createRedactor, secretsOfUrl } from '../../server/observability/redaction/index.ts';
import { createHttpRpcEndpoint } from '../../server/rpc/index.ts';
import { createChainReader } from './chainReader.ts';

import { toTable } from './toTable.ts';
import { verifyDeployment } from './verifyDeployment.ts';
import type { Finding, Verdict } from './verifyTypes.ts';

/** An error that the caller can correct; printed as one line without a stack. */
class VerificationError extends Error {}

const optionTypes = { chain: { type: 'string' }, rpc: { type: 'string' }, sandbox: { type: 'boolean' } } as const;
type VerifyOptions = ReturnType<typeof parseArgs<{ options: typeof optionTypes }>>['values'];

function readVerifyOptions(): VerifyOptions {
  try {
    return parseArgs({ options: optionTypes }).values;
  } catch (cause) {
    throw new VerificationError((cause as Error).message, { cause });
  }
}

function findChain({ chain }: VerifyOptions): ChainName {
  const found = chainNames.find((name) => name === chain);
  if (!found) throw new VerificationError(`--chain must be one of ${chainNames.join(', ')}.`);
  return found;
}

/** RPC_URL_<CHAIN> may list several nodes; the first is used. */
function liveUrl(chain: ChainName, { rpc }: VerifyOptions): string {
  const variable = `RPC_URL_${chain.toUpperCase()}`;
  const url = rpc ?? process.env[variable]?.split(',')[0]?.trim();
  if (!url) throw new VerificationError(`No ${chain} node is configured. Pass its URL with --rpc or set ${variable}.`);
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new VerificationError(`--rpc, or the first URL in ${variable}, must be an http or https URL.`);
  return url;
}

async function verify(chain: ChainName, url: string, standIns?: ReadonlySet<string>): Promise<Finding[]> {
  const endpoint = createHttpRpcEndpoint({ url, label: `the ${chain} node`, timeoutMs: 20_000 });
  const [reply] = await endpoint.send([{ method: 'eth_chainId', params: [] }], { signal: AbortSignal.timeout(20_000) });
  const id = reply && 'result' in reply ? Number(reply.result) : Number.NaN;
  if (Number.isNaN(id)) throw new VerificationError('The node did not return its chain id.');
  if (id !== chainIds[chain])
    throw new VerificationError(`The node serves chain ${id}, not ${chain} (${chainIds[chain]}).`);
  const reader = await createChainReader(endpoint);
  const findings = await verifyDeployment(reader, chain, deployments[chain], standIns);
  // A node's error message may repeat the API key from its URL.
  const redact = createRedactor(secretsOfUrl(url));
  console.log(`\n${chain} at block ${reader.block.number}\n\n${redact(toTable(findings))}`);
  return findings;
}

async function verifyLive(options: VerifyOptions): Promise<Finding[]> {
  const chain = findChain(options);
  return verify(chain, liveUrl(chain, options));
}

async function verifyInSandbox(options: VerifyOptions): Promise<Finding[]> {
  const chains = options.chain === undefined ? chainNames : [findChain(options)];
  const sandbox = await startSandbox({ chains });
  try {
    const findings: Finding[] = [];
    for (const chain of chains) {
      findings.push(...(await verify(chain, sandbox.chains[chain]?.rpcUrl ?? '', standInFactories[chain])));
    }
    return findings;
  } finally {
    await sandbox.close();
  }
}

try {
  const given = readVerifyOptions();
  const findings = given.sandbox ? await verifyInSandbox(given) : await verifyLive(given);
  const has = (wanted: Verdict) => findings.some(({ verdict }) => verdict === wanted);
  if (has('differs')) process.exitCode = 1;
  else if (has('unread')) process.exitCode = 2;
  else if (has('missing') && !given.sandbox) process.exitCode = 3;
} catch (error) {
  if (!(error instanceof VerificationError || error instanceof RpcTransportError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
