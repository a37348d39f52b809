import { RpcTransportError, VendorUnavailableError } from '../ports.ts';
import { logsLabel } from './logRpc.ts';

/** Why the scan of a token has no holders, or does not go on. */
export type ScanEnd =
  /** More transfers or holders than the index stores. */
  | 'large'
  /** The nodes refuse the logs of a single block: they have none of that time, or none at all. */
  | 'refused'
  | 'unreachable'
  /** The nodes accept no more requests for now. */
  | 'limited'
  | 'malformed'
  /** The requests or the time of one scan are used up. */
  | 'limit'
  /** All scans together have used their requests of a day. */
  | 'day'
  /** The operator allows no searches. */
  | 'off'
  /** The nodes return logs of so few blocks at a time that the scan could not end. */
  | 'too-long'
  /** Too many other tokens wait. */
  | 'queue'
  /** Another replica reads this token. */
  | 'replica'
  /** The progress could not be stored. */
  | 'store';

/** A scan stopped before its end, for a reason other than a fault of a node. */
export class ScanEndedError extends VendorUnavailableError {
  constructor(readonly end: ScanEnd) {
    super(logsLabel, 'not-indexed');
  }
}

/** Why a scan ended with this error. */
export function endOf(error: unknown): ScanEnd {
  if (error instanceof ScanEndedError) return error.end;
  if (error instanceof RpcTransportError) return error.limited ? 'limited' : 'unreachable';
  if (!(error instanceof VendorUnavailableError)) return 'store';
  if (error.fault === 'refused') return 'refused';
  if (error.fault === 'rate-limited') return 'limited';
  return error.fault === 'unreachable' || error.fault === 'timeout' ? 'unreachable' : 'malformed';
}

/**
 * The sentence of an answer about the end of a scan. It names another check only if that check can find more.
 * @param facts `percent`: the part of the blocks that was read; `again`: seconds until the requests of a day are available
 */
export function describeEnd(
  end: ScanEnd,
  {
    percent,
    again,
    limits,
  }: { percent: number | undefined; again: number; limits: { transfers: number; holders: number } },
): string {
  const reached =
    percent === undefined ? 'the search in its logs' : `the search in its logs, at ${percent} % of the blocks,`;
  switch (end) {
    case 'large':
      return `The token has more than ${limits.transfers} transfers or ${limits.holders} holders, so the service does not index them.`;
    case 'refused':
      return `The nodes refuse old logs of this token, so ${reached} cannot go on; a later check finds no more with these nodes.`;
    case 'too-long':
      return 'The nodes return logs of so few blocks at a time that the service does not read all of them; a check within the next hour finds no more.';
    case 'unreachable':
      return `No node responded, so ${reached} stopped; a later check continues it.`;
    case 'limited':
      return `The nodes accept no more requests for now, so ${reached} stopped; a later check continues it.`;
    case 'malformed':
      return `A node returned contradictory logs, so ${reached} stopped.`;
    case 'limit':
      return `The requests for one search are used up, so ${reached} stopped; a later check continues it.`;
    case 'day':
      return `The requests for all searches of a day are used up, so ${reached} stopped; a check in about ${describeTime(again)} continues it.`;
    case 'off':
      return `This service reads only a part of a token's logs for each check, so ${reached} stopped; a later check continues it.`;
    case 'queue':
      return 'The service reads the logs of many other tokens; a later check starts the search in the logs of this one.';
    case 'replica':
      return 'Another process of the service reads the logs of this token; a later check uses them.';
    case 'store':
      return `The progress could not be stored, so ${reached} stopped; a later check continues it.`;
  }
}

/** The sentence of an answer while a scan runs. */
export function describeRun(percent: number | undefined, secondsLeft: number | undefined): string {
  const reached = [
    percent === undefined ? undefined : `${percent} % of the blocks`,
    secondsLeft === undefined ? undefined : `about ${describeTime(secondsLeft)} left`,
  ].filter((part) => part !== undefined);
  const facts = reached.length === 0 ? '' : ` (${reached.join(', ')})`;
  return `The service reads the logs of this token in the background${facts}; a check after that uses them.`;
}

/** The sentence of an answer while a scan waits for others. */
export const describeWait = (before: number): string =>
  `The service reads the logs of this token in the background, after those of ${before} other ${before === 1 ? 'token' : 'tokens'}; a check after that uses them.`;

function describeTime(seconds: number): string {
  if (seconds < 60) return 'a minute';
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}
