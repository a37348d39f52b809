import type { Batch } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { PowerScan } from '../pretradePorts.ts';
import { beginScan } from './beginScan.ts';
import type { PowerSubject } from './findCallers.ts';
import { isSamePower, type PowerFinding, type PowerMemory, scanGap } from './powerMemory.ts';

/** Completes a scan. @throws {RpcTransportError} */
export type CreatorScan = (node: Node) => Promise<PowerFinding>;

/**
 * Tries the owner functions as creators that a vendor returned after the scan had begun. The calls are added to a request
 * that is sent anyway, so the verdict does not wait for them. Undefined if there is no new account to try.
 */
export async function tryCreators(
  powers: PowerMemory,
  subject: PowerSubject,
  first: PowerFinding,
  batch: Batch,
): Promise<CreatorScan | undefined> {
  const { creators = [], roles, accounts } = subject;
  if (first.status !== 'scanned' || creators.length === 0) return undefined;
  const recall = await powers.recall(subject);
  // With a new creator, `recall` may lack the other token's scan that the first finding contains.
  const withOtherScan = (finding: PowerFinding): PowerFinding =>
    scanGap(finding) === null ? finding : { ...finding, otherScan: finding.otherScan ?? first.otherScan };
  if (recall.status === 'cached') {
    const cached = withOtherScan({ status: 'scanned', scan: recall.scan, otherScan: recall.otherScan });
    return async () => cached;
  }
  if (recall.status === 'unavailable') return undefined;
  const logged = roles.status === 'read' ? [...roles.addresses, ...roles.owners] : [];
  const tried = new Set([...logged, ...(accounts ?? [])]);
  const callers = recall.query.callers.filter(({ role, address }) => role === 'creator' && !tried.has(address));
  if (callers.length === 0) return undefined;
  const scan = beginScan({ ...recall.query, callers }, batch);
  return async (node) => {
    const finding = await powers.conclude(
      recall,
      async () => {
        const found = await scan(node);
        const before = first.scan;
        return {
          ...found,
          functionsTried: Math.max(found.functionsTried, before.functionsTried),
          callsTried: found.callsTried + before.callsTried,
          truncated: found.truncated || before.truncated,
          functionsRefused: mergeRefused(found, before),
          powers: [...before.powers, ...found.powers.filter((power) => !before.powers.some(isSamePower(power)))],
        };
      },
      subject.tradable,
    );
    return withOtherScan(finding);
  };
}

/** Functions that both scans refused. A scan without calls is ignored. */
function mergeRefused(found: PowerScan, before: PowerScan): PowerScan['functionsRefused'] {
  if (before.callsTried === 0) return found.functionsRefused;
  return found.functionsRefused.filter((selector) => before.functionsRefused.includes(selector));
}
