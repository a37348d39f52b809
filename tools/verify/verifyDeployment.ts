import type { ChainName, Deployment } from '../../engine/index.ts';
import { derivations } from '../../engine/tools/index.ts';
import type { ChainReader } from './chainReader.ts';
import { knownPools } from './knownPools.ts';
import { verifyB20 } from './verifyB20.ts';
import { verifyFeed, verifySequencerFeed } from './verifyFeeds.ts';
import { verifyManager } from './verifyManager.ts';
import { verifyToken } from './verifyTokens.ts';
import { type Finding, findingFor } from './verifyTypes.ts';
import { verifyVenue } from './verifyVenue.ts';
import { verifyWeighted } from './verifyWeighted.ts';

const arbSys = '0x0000000000000000000000000000000000000064';

/**
 * Compares each row of a deployment with the chain.
 * @param standIns factories, in lower case, that create pools with other code than on the real chain. Known and derived
 * addresses of their pools are not compared.
 * @example const findings = await verifyDeployment(await createChainReader(endpoint), 'base', deployments.base);
 */
export async function verifyDeployment(
  reader: ChainReader,
  chain: ChainName,
  deployment: Deployment,
  standIns: ReadonlySet<string> = new Set(),
): Promise<Finding[]> {
  const { venues, routingAssets, feeds, sequencerFeed } = deployment;
  const venueFindings = venues.map((row) => {
    if (row.family === 'uniswap-v4') return verifyManager(reader, row, deployment);
    if (row.family === 'balancer-v2') return verifyWeighted(reader, row);
    const { factory } = row;
    if (standIns.has(factory)) return verifyVenue(reader, row, deployment, { derivation: undefined, known: [] });
    const derivation = derivations[chain].get(factory);
    const known = knownPools[chain].filter((pool) => pool.factory.toLowerCase() === factory);
    return verifyVenue(reader, row, deployment, { derivation, known });
  });
  const others = [
    ...routingAssets.map((asset) => verifyToken(reader, chain, asset)),
    ...Object.values(feeds).map((feed) => verifyFeed(reader, feed)),
    ...(sequencerFeed ? [verifySequencerFeed(reader, sequencerFeed)] : []),
    ...(deployment.arbSys ? [verifyArbSys(reader)] : []),
  ];
  const b20Findings = chain === 'base' ? await verifyB20(reader) : [];
  return [...(await Promise.all(venueFindings)).flat(), ...(await Promise.all(others)), ...b20Findings];
}

async function verifyArbSys(reader: ChainReader): Promise<Finding> {
  const finding = findingFor(`ArbSys ${arbSys}`);
  const answer = await reader.call<bigint>(arbSys, 'arbBlockNumber() view returns (uint256)');
  if (answer.status === 'unread') return finding('block number', 'unread', answer.why);
  if (answer.status === 'refused') return finding('block number', 'missing', answer.why);
  return finding('block number', 'ok', `${answer.value}`);
}
