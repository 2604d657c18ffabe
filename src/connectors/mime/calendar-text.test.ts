import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { calendarText } from './calendar-text.ts';

describe('an invitation', () => {
  test('is read as its most important fields', () => {
    const calendar = [
      'BEGIN:VCALENDAR',
      'METHOD:REQUEST',
      'BEGIN:VTIMEZONE',
      'DTSTART:19700101T000000',
      'END:VTIMEZONE',
      'BEGIN:VEVENT',
      'SUMMARY;LANGUAGE=en:Lunch\\, with\\nBob',
      'DTSTART;TZID=Europe/Berlin:20260302T120000',
      'DTEND:20260302T130000Z',
      'LOCATION:A long',
      '  street',
      'ORGANIZER;CN=Bob:mailto:bob@example.test',
      'END:VEVENT',
      'END:VCALENDAR',
    ].join('\n');

    assert.equal(
      calendarText(calendar),
      'Method: REQUEST\nEvent: Lunch, with\nBob\nBegins: 2026-03-02 12:00\nEnds: 2026-03-02 13:00 UTC\nPlace: A long street\nOrganizer: bob@example.test',
    );
  });

  test('may be for a day, or be nothing at all', () => {
    assert.equal(calendarText('BEGIN:VEVENT\nDTSTART;VALUE=DATE:20260302'), 'Begins: 2026-03-02');
    assert.equal(calendarText('nothing'), '');
  });
});
