import type { Request, Response } from 'express';
import { DeckhandError, type ValidationIssue } from '@deckhand/contracts';
import { checkJson } from '../http/json-body.ts';
import type { PageLanguage } from './page-language.ts';
import { linkPage, messagePage, PAGE_POLICY } from './pages.ts';

/**
 * Refuses the form of another site's page. It would need the token, so this is only a second defence. Browsers send
 * `Origin: null` from pages with the referrer policy of these.
 */
export function requireOwnPage({ headers, host }: Request): void {
  const site = headers['sec-fetch-site'];
  const { origin = 'null' } = headers;
  const isOther =
    site === undefined
      ? origin !== 'null' && (!URL.canParse(origin) || new URL(origin).host !== host)
      : site !== 'same-origin' && site !== 'none';
  if (isOther) throw new DeckhandError('FORBIDDEN', { message: 'Answer on the page that the link opens' });
}

/** @throws DeckhandError VALIDATION_FAILED for text that PostgreSQL cannot store. */
export function checkStorable(value: object): void {
  checkJson(value, JSON.stringify(value));
}

/** Whether the details of an error are issues of fields. */
export function isIssues(details: unknown): details is readonly ValidationIssue[] {
  return Array.isArray(details) && details.every((each) => typeof each === 'object' && each !== null && 'path' in each);
}

/** Returns the page of an error. */
export function errorPage({ code, status, message }: DeckhandError, language: PageLanguage): string {
  if (code === 'NOT_FOUND') return linkPage({ kind: 'unknown' }, language);
  if (status >= 500)
    return messagePage(language, 'Not available', 'The service cannot do this at the moment. Try again later.');
  return messagePage(language, 'That did not work', message);
}

/** Sends a page that no cache, index or other site gets. */
export function sendPage(response: Response, status: number, page: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page),
    'Content-Security-Policy': PAGE_POLICY,
    'Cache-Control': 'no-store',
    Vary: 'Accept-Language',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
  });
  response.end(page);
}
