import { type Address, getAddress } from 'viem';
import type { UsdFeed } from '../../engine/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type Finding, judgeOf } from './verifyTypes.ts';

type Round = readonly [roundId: bigint, answer: bigint, startedAt: bigint, updatedAt: bigint, answeredIn: bigint];

const latestRoundData = 'latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)';

/** A price feed is the one that the data means, and no older than the data allows. */
export async function verifyFeed(reader: ChainReader, feed: UsdFeed): Promise<Finding> {
  const judge = judgeOf(`${feed.description} ${getAddress(feed.address)}`);
  const seen = await readFeed(reader, feed.address);
  if (seen.status !== 'answered') return judge('feed', seen.status, seen.why);
  const [, answer, , updatedAt] = seen.round;
  if (seen.description !== feed.description) return judge('feed', 'differs', `is ${JSON.stringify(seen.description)}`);
  if (answer <= 0n) return judge('feed', 'differs', `answers ${answer}`);
  const age = reader.block.timestamp - updatedAt;
  if (age > BigInt(feed.heartbeatSeconds))
    return judge('feed', 'differs', `${age} s old, allowed ${feed.heartbeatSeconds}`);
  return judge('feed', 'ok', `${age} s old, allowed ${feed.heartbeatSeconds}`);
}

/** The sequencer's uptime feed answers 0 (up) or 1 (down), and since when. */
export async function verifySequencerFeed(reader: ChainReader, address: Address): Promise<Finding> {
  const judge = judgeOf(`sequencer ${getAddress(address)}`);
  const seen = await readFeed(reader, address);
  if (seen.status !== 'answered') return judge('feed', seen.status, seen.why);
  const [, answer, startedAt] = seen.round;
  if (!/sequencer/i.test(seen.description)) return judge('feed', 'differs', `is ${JSON.stringify(seen.description)}`);
  if (answer !== 0n && answer !== 1n) return judge('feed', 'differs', `answers ${answer}`);
  return judge(
    'feed',
    'ok',
    `${answer === 0n ? 'up' : 'down'} since ${new Date(Number(startedAt) * 1000).toISOString()}`,
  );
}

type SeenFeed =
  | { status: 'answered'; description: string; round: Round }
  | { status: 'missing' | 'differs' | 'unread'; why: string };

async function readFeed(reader: ChainReader, address: Address): Promise<SeenFeed> {
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
