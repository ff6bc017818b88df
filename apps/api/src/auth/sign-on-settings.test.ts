import { describe, expect, it } from '@jest/globals';
import { readPasswordRules, type SignOnSettings } from './sign-on-settings.ts';

const SETTINGS: SignOnSettings = {
  ...{ OIDC_SCOPES: 'openid', OIDC_LABEL: 'Single sign-on', OIDC_VERIFIED_CLAIM: 'email_verified' },
  ...{ OIDC_DEFAULT_ROLE: 'viewer', OIDC_TIMEOUT_MS: 10_000 },
};

describe('whose passwords are refused', () => {
  it('is not decided without an address that gets in while the provider is down', () => {
    const only = { ...SETTINGS, OIDC_ONLY_DOMAINS: 'corp.example' };
    expect(() => readPasswordRules(only)).toThrow('OIDC_ONLY_DOMAINS needs OIDC_BREAK_GLASS');
    const rules = readPasswordRules({ ...only, OIDC_BREAK_GLASS: 'Root@corp.example' });
    expect([...rules.breakGlass]).toEqual(['root@corp.example']);
  });
});
