import type { Response } from 'express';
import type { PaidPlace, Place } from './places.ts';

/** What the middlewares of one request tell each other. */
export interface Locals {
  requestId: string;
  place?: Place;
}

export function localsOf(res: Response): Locals {
  return res.locals as Locals;
}

/** The paid place of a request that has passed `knowPlace`. */
export function paidPlaceOf(res: Response): PaidPlace {
  const { place } = localsOf(res);
  if (place?.kind !== 'paid') throw new TypeError('A free request came to where things are sold.');
  return place;
}
