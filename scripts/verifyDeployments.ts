/**
 * npm run verify:deployments -- --chain base [--rpc https://…]
 * npm run verify:deployments -- --sandbox [--chain base]
 *
 * Compares every row of engine/venues/deployments with a chain: a live one (--rpc, else RPC_URL_<CHAIN>), or the
 * sandbox's. Exits 1 when anything differs, 2 when nothing differs but something could not be read.
 */
import { parseArgs } from 'node:util';
import { type ChainName, chainIds, chainNames, deployments } from '../engine/index.ts';
import { startSandbox } from '../sandbox/index.ts';
import { createHttpRpcEndpoint } from '../server/rpc/index.ts';
import { createChainReader } from './verify/chainReader.ts';
import { sandboxStandIns } from './verify/sandboxStandIns.ts';
import { toTable } from './verify/toTable.ts';
import { verifyDeployment } from './verify/verifyDeployment.ts';
import type { Finding } from './verify/verifyTypes.ts';

const { values } = parseArgs({
  options: { chain: { type: 'string' }, rpc: { type: 'string' }, sandbox: { type: 'boolean', default: false } },
});

function chainsToVerify(): readonly ChainName[] {
  if (values.chain === undefined && values.sandbox) return chainNames;
  const chain = chainNames.find((name) => name === values.chain);
  if (!chain) throw new Error(`--chain must be one of ${chainNames.join(', ')}.`);
  return [chain];
}

/** RPC_URL_<CHAIN> may list several nodes; the first is asked. */
function liveUrl(chain: ChainName): string {
  const variable = `RPC_URL_${chain.toUpperCase()}`;
  const url = values.rpc ?? process.env[variable]?.split(',')[0]?.trim();
  if (!url) throw new Error(`Give a node of ${chain} with --rpc, or in ${variable}.`);
  return url;
}

async function verify(chain: ChainName, url: string, standIns?: ReadonlySet<string>): Promise<Finding[]> {
  const endpoint = createHttpRpcEndpoint({ url, label: `the ${chain} node`, timeoutMs: 20_000 });
  const [reply] = await endpoint.send([{ method: 'eth_chainId', params: [] }], { signal: AbortSignal.timeout(20_000) });
  const id = reply && 'result' in reply ? Number(reply.result) : Number.NaN;
  if (id !== chainIds[chain]) throw new Error(`The node serves chain ${id}, not ${chain} (${chainIds[chain]}).`);
  const reader = await createChainReader(endpoint);
  const findings = await verifyDeployment(reader, chain, deployments[chain], standIns);
  console.log(`\n${chain} at block ${reader.block.number}\n\n${toTable(findings)}`);
  return findings;
}

const chains = chainsToVerify();
const findings: Finding[] = [];
if (values.sandbox) {
  const sandbox = await startSandbox({ chains });
  try {
    for (const chain of chains) {
      findings.push(...(await verify(chain, sandbox.chains[chain]?.rpcUrl ?? '', sandboxStandIns[chain])));
    }
  } finally {
    await sandbox.close();
  }
} else {
  for (const chain of chains) findings.push(...(await verify(chain, liveUrl(chain))));
}
if (findings.some(({ verdict }) => verdict === 'differs')) process.exitCode = 1;
else if (findings.some(({ verdict }) => verdict === 'unread')) process.exitCode = 2;
