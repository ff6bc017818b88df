import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { i18n } from '../language/i18n.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

/**
 * A button that asks for confirmation before an irreversible action. @param label on the button, such as "Revoke"; `of`
 * names its object, for screen readers.
 */
export function ConfirmButton({
  label,
  of,
  question,
  consequence,
  act,
}: {
  label: string;
  of: string;
  question: string;
  consequence: string;
  act: () => Promise<unknown>;
}) {
  const [isAsking, asking] = useDisclosure(false);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        aria-label={i18n.t('{label} {of}', { label, of })}
        onClick={asking.open}
      >
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        question={question}
        consequence={consequence}
        label={label}
        act={act}
        onClose={asking.close}
      />
    </>
  );
}
