import { describe, expect, it } from '@jest/globals';
import { readMailSettings } from './mail-settings.ts';

describe('the settings of messages', () => {
  it('name SMTP_URL when a % in it is not encoded, without its password', () => {
    const read = () => readMailSettings({ SMTP_URL: 'smtp://me:100%sure@mail.example', SMTP_FROM: 'a@b.example' });
    expect(read).toThrow('SMTP_URL');
    expect(read).not.toThrow('sure');
  });

  it('decode the name and the password', () => {
    const settings = readMailSettings({ SMTP_URL: 'smtps://me:100%25@mail.example', SMTP_FROM: 'a@b.example' });
    expect(settings?.server).toMatchObject({ username: 'me', password: '100%', port: 465, secure: true });
  });
});
