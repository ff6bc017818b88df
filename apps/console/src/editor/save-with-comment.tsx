import { Modal, Stack, Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useState } from 'react';
import { issueAt, isAllAt } from '../forms/issue-at.ts';
import { FormFooter } from '../components/form-footer.tsx';
import { i18n } from '../language/i18n.ts';

/** Paths of issues that concern the comment. */
const COMMENT_PATHS: readonly string[] = ['comment'];

/** Asks for a comment on a version, which is shown in the list of versions, and saves the version. */
export function SaveWithComment({
  initial,
  isOpen,
  isPending,
  error,
  onClose,
  onSave,
}: {
  /** The comment of a save that was refused. */
  initial: string;
  isOpen: boolean;
  isPending: boolean;
  error: unknown;
  onClose: () => void;
  onSave: (comment: string) => void;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={i18n.t('Save with a comment')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <Comment initial={initial} isPending={isPending} error={error} onCancel={onClose} onSave={onSave} />
    </Modal>
  );
}

function Comment({
  initial,
  isPending,
  error,
  onCancel,
  onSave,
}: {
  initial: string;
  isPending: boolean;
  error: unknown;
  onCancel: () => void;
  onSave: (comment: string) => void;
}) {
  const [comment, setComment] = useState(initial);
  const save = (): void => onSave(comment);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack>
        <Textarea
          label={i18n.t('Comment')}
          description={i18n.t('Shown in the list of versions')}
          autosize
          minRows={3}
          maxRows={12}
          data-autofocus
          value={comment}
          error={issueAt(error, 'comment')}
          onChange={(event) => setComment(event.currentTarget.value)}
          onKeyDown={getHotkeyHandler([['mod+S', save]])}
        />
        <FormFooter
          error={isAllAt(error, COMMENT_PATHS) ? null : error}
          submit={i18n.t('Save')}
          isPending={isPending}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}
