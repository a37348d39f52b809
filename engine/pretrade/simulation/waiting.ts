import { differs } from '../axes/changingTaxes.ts';
import { isSale, type Ran, routesOf, salesOf, saleTaxAt } from '../axes/tradeSteps.ts';
import type { CodeFacts } from '../bytecode/codeMemory.ts';
import type { Moment, Scenario, ScenarioResult } from './simulationTypes.ts';

/** Name of the ordinary wallet's scenario with a small amount. */
export const smallTrade = 'small';

export type Waits = Scenario['waits'];

/** Which scenarios wait for blocks: the small trade, and the others. */
export interface Waiting {
  small: Waits;
  others: Waits;
}

/**
 * The first simulation of a token: the small trade waits, the others trade at the same times in the next blocks. If their
 * results differ (`waitsNeeded`), the others wait too. Waiting blocks of every scenario would take 2 MB.
 */
export const firstWaiting: Waiting = { small: 'twice', others: 'never' };
/** For nodes that do not return as many blocks. */
export const noWaiting: Waiting = { small: 'never', others: 'never' };

const moments = ['next', 'later', 'day'] as const satisfies readonly Moment[];

/**
 * The waits that the other scenarios need so that they are comparable with the small trade, which waited twice. `never` if
 * all sales of the check have the same result: no rule then depends on the blocks between.
 */
export function waitsNeeded(results: readonly ScenarioResult[]): Waits {
  const ran = results.filter((result): result is Ran => result.status === 'ran');
  const small = ran.find(({ name }) => name === smallTrade);
  if (small?.waits !== 'twice' || !haveMixedSales(ran)) return 'never';
  return haveMixedSales([{ ...small, steps: small.steps.filter(({ step }) => step.at !== 'next') }]) ? 'twice' : 'once';
}

/** Whether some sales are refused or taxed and others are not. */
function haveMixedSales(ran: readonly Ran[]): boolean {
  const sales = ran.flatMap((result) => moments.flatMap((at) => salesOf(result, at)));
  const sold = [
    ...sales.map(isSale),
    // A route of more than the wallet holds is always refused.
    ...ran.filter((result) => routesOf(result, 'later').length > 0).map(hasRouted),
  ].filter((sale) => sale !== null);
  const taxes = ran.flatMap((result) => moments.flatMap((at) => saleTaxAt(result, at) ?? []));
  const [first] = taxes;
  return new Set(sold).size > 1 || (first !== undefined && taxes.some((tax) => differs(tax, first)));
}

const hasRouted = (ran: Ran): boolean =>
  (['later', 'day'] as const).some((at) => routesOf(ran, at).some(({ result }) => result.ok));

/** Whether transfers may depend on the block number: their code, or a contract that they call, may read it. */
export const mayReadBlockNumber = (code: CodeFacts | undefined): boolean =>
  code === undefined || code.readsBlockNumber || code.calledContracts?.length !== 0;

/**
 * For a repeated check. Code that cannot read the block number needs no waiting.
 * @param others the waits of the last check
 * @param brief as in `planScenarios`: the results are compared with those of the last check, so a second wait is needed
 * only if they depended on it
 */
export function waitingAgain(code: CodeFacts, others: Waits, brief: boolean): Waiting {
  if (!mayReadBlockNumber(code)) return noWaiting;
  return { small: brief && others !== 'twice' ? 'once' : 'twice', others };
}

const waitsInOrder: readonly Waits[] = ['never', 'once', 'twice'];

export const waitsLonger = (a: Waits, b: Waits): boolean => waitsInOrder.indexOf(a) > waitsInOrder.indexOf(b);
