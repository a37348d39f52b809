import { type Address, getAddress } from 'viem';
import type { UsdFeed } from '../../engine/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type Finding, findingFor } from './verifyTypes.ts';

type Round = readonly [roundId: bigint, answer: bigint, startedAt: bigint, updatedAt: bigint, answeredIn: bigint];

const latestRoundData = 'latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)';

/** Compares a price feed's `description()` with the row, and checks that its price is above 0 and fresh. */
export async function verifyFeed(reader: ChainReader, feed: UsdFeed): Promise<Finding> {
  const finding = findingFor(`${feed.description} ${getAddress(feed.address)}`);
  const reading = await readFeed(reader, feed.address);
  if (reading.status !== 'answered') return finding('feed', reading.status, reading.why);
  const [, answer, , updatedAt] = reading.round;
  if (reading.description !== feed.description)
    return finding('feed', 'differs', `description is ${JSON.stringify(reading.description)}`);
  if (answer <= 0n) return finding('feed', 'differs', `price is ${answer}`);
  const age = reader.block.timestamp - updatedAt;
  if (age > BigInt(feed.heartbeatSeconds))
    return finding('feed', 'differs', `${age} s old, allowed ${feed.heartbeatSeconds}`);
  return finding('feed', 'ok', `${age} s old, allowed ${feed.heartbeatSeconds}`);
}

/** Checks a sequencer uptime feed: its description, and its status of 0 (up) or 1 (down). */
export async function verifySequencerFeed(reader: ChainReader, address: Address): Promise<Finding> {
  const finding = findingFor(`sequencer ${getAddress(address)}`);
  const reading = await readFeed(reader, address);
  if (reading.status !== 'answered') return finding('feed', reading.status, reading.why);
  const [, answer, startedAt] = reading.round;
  if (!/sequencer/i.test(reading.description))
    return finding('feed', 'differs', `description is ${JSON.stringify(reading.description)}`);
  if (answer !== 0n && answer !== 1n) return finding('feed', 'differs', `status is ${answer}`);
  return finding(
    'feed',
    'ok',
    `${answer === 0n ? 'up' : 'down'} since ${new Date(Number(startedAt) * 1000).toISOString()}`,
  );
}

type FeedReading =
  | { status: 'answered'; description: string; round: Round }
  | { status: 'missing' | 'differs' | 'unread'; why: string };

async function readFeed(reader: ChainReader, address: Address): Promise<FeedReading> {
  const [code, description, round] = await Promise.all([
    reader.hasCode(address),
    reader.call<string>(address, 'description() view returns (string)'),
    reader.call<Round>(address, latestRoundData),
  ]);
  if (code.status !== 'answered') return { status: 'unread', why: code.why };
  if (!code.value) return { status: 'missing', why: 'no code' };
  if (description.status === 'answered' && round.status === 'answered') {
    return { status: 'answered', description: description.value, round: round.value };
  }
  const failed = description.status === 'answered' ? round : description;
  const why = 'why' in failed ? failed.why : '';
  return { status: failed.status === 'unread' ? 'unread' : 'differs', why };
}
