import { ROLES, type Role } from '@deckhand/contracts';
import type { SecondFactorRule } from '@deckhand/db';
import { SettingsError } from '@deckhand/runtime';
import Type, { type Static } from 'typebox';

/** Settings of second factors. */
export const SecondFactorSettings = {
  /** Who must have one, with commas between: `everybody`, `administrators` of the instance, or roles in a workspace. */
  SECOND_FACTOR_REQUIRED: Type.Optional(Type.String()),
  /** Whether people who sign in by an identity provider need one, too. By default the provider is trusted. */
  SECOND_FACTOR_AFTER_SSO: Type.Boolean({ default: false }),
};

export type SecondFactorSettings = Static<ReturnType<typeof Type.Object<typeof SecondFactorSettings>>>;

/** Reads who must have a second factor. @returns undefined for nobody. @throws SettingsError for unknown words. */
export function readSecondFactorRule(settings: SecondFactorSettings): SecondFactorRule | undefined {
  const words = (settings.SECOND_FACTOR_REQUIRED ?? '')
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== '');
  const roles: Role[] = [];
  for (const word of words) {
    const role = ROLES.find((each) => each === word);
    if (role !== undefined) roles.push(role);
    else if (word !== 'everybody' && word !== 'administrators') {
      const known = ['everybody', 'administrators', ...ROLES].join(', ');
      throw new SettingsError(`Bad settings: SECOND_FACTOR_REQUIRED must name some of ${known}, not "${word}"`);
    }
  }
  if (words.length === 0) return undefined;
  return {
    everybody: words.includes('everybody'),
    administrators: words.includes('administrators'),
    roles,
    afterSignOn: settings.SECOND_FACTOR_AFTER_SSO,
  };
}
