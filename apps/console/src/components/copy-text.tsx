import { Button, Code, CopyButton, Group } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { i18n } from '../language/i18n.ts';

/** A text to copy. @param label names it, for screen readers. */
export function CopyText({ label, text }: { label: string; text: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code block aria-label={label} flex={1} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            leftSection={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
            aria-label={i18n.t('Copy: {label}', { label })}
            onClick={copy}
            flex="none"
          >
            {copied ? i18n.t('Copied') : i18n.t('Copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
