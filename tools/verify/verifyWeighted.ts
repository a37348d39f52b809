import type { Address } from 'viem';
import type { VenueRow } from '../../engine/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type Finding, findingFor } from './verifyTypes.ts';

type WeightedRow = Extract<VenueRow, { family: 'balancer-v2' }>;

/** The same on every chain: npm @balancer-labs/v2-deployments, VeloraDEX/paraswap-dex-lib. */
const vault = '0xBA12222222228d8Ba445958a75a0704d566BF2C8';

/** Checks that the factory has code, and that its `getVault()` returns Balancer's vault. */
export async function verifyWeighted(reader: ChainReader, { venue, factory }: WeightedRow): Promise<Finding[]> {
  const finding = findingFor(`${venue} ${factory}`);
  const [code, answer] = await Promise.all([
    reader.hasCode(factory),
    reader.call<Address>(factory, 'getVault() view returns (address)'),
  ]);
  if (code.status !== 'answered') return [finding('code', 'unread', code.why)];
  if (!code.value) return [finding('code', 'missing', 'no code at the factory')];
  if (answer.status === 'unread') return [finding('code', 'ok'), finding('vault', 'unread', answer.why)];
  const isVault = answer.status === 'answered' && answer.value.toLowerCase() === vault.toLowerCase();
  const note = answer.status === 'answered' ? answer.value : answer.why;
  return [finding('code', 'ok'), finding('vault', isVault ? 'ok' : 'differs', note)];
}
