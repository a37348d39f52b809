import type { RequestHandler } from 'express';
import type { ReadyBody } from '../../router/index.ts';
import { sendWire, toJsonAnswer, type WireAnswer } from '../http/wireAnswer.ts';
import type { WorkInProgress } from '../workInProgress.ts';

export interface ReadyDeps {
  work: WorkInProgress;
  isStoreThere: () => Promise<boolean>;
}

/** Whether a balancer may send requests here. No RPC is asked, and the store at most once a second. */
export function ready(deps: ReadyDeps): RequestHandler {
  return async (_req, res) => sendWire(res, await readyAnswer(deps));
}

export async function readyAnswer({ work, isStoreThere }: ReadyDeps): Promise<WireAnswer> {
  const missing: ReadyBody['missing'] = [];
  if (work.isDraining) missing.push('INTAKE');
  if (!(await isStoreThere())) missing.push('STORE');
  const body: ReadyBody = { ready: missing.length === 0, missing };
  return body.ready ? toJsonAnswer(200, body) : toJsonAnswer(503, body, [['Retry-After', '1']]);
}
